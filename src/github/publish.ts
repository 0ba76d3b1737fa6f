import { closeSync, mkdtempSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setFailed, setOutput, summary as stepSummary } from '@actions/core';
import { breachLine } from '../report/figures.ts';
import { gateOutputs, type Outputs, reportJson, statsOutputs, uploadOutputs } from '../report/outputs.ts';
import { type Report, succeeded, type Task } from '../report/report.ts';
import { summary } from '../report/summary.ts';
import { adviceOn, failureGroups, furtherLines, headline } from '../report/verdict.ts';
import { formatCount, formatNumber } from '../text/units.ts';
import type { DebugLog } from './debug.ts';
import { logFiles } from './file-list.ts';
import { annotate, logLine, messageOf } from './log.ts';

// Ten annotations of a level are shown: these, one for other failures, one for the gate, and the verdict.
const MAX_GROUPS = 7;
const MAX_NAMES = 10;

export interface PublishOptions {
  /** Whether to write the job summary. */
  readonly summary: boolean;
  readonly debug: DebugLog;
}

/** Writes outputs, then the summary, then the verdict: always all three, whatever became of the ones before. */
export async function publish(report: Report, options: PublishOptions): Promise<void> {
  logFiles(report);
  const problem = writeOutputs(report, options.debug);
  if (options.summary) await writeSummary(report, options.debug);
  for (const warning of cut(report.warnings)) annotate.warning([warning]);
  conclude(report, problem);
}

const OUTPUTS: Readonly<
  Record<Task, readonly ((report: Report) => { outputs: Outputs; notices: string[] })[]>
> = {
  sync: [uploadOutputs, statsOutputs, gateOutputs],
  upload: [uploadOutputs],
  stats: [statsOutputs, gateOutputs],
  monitor: [statsOutputs, gateOutputs],
};

/** A sentence on what kept the outputs from being written, if anything did. */
function writeOutputs(report: Report, debug: DebugLog): string | undefined {
  try {
    const parts = OUTPUTS[report.task].map(of => of(report));
    for (const line of parts.flatMap(({ notices }) => notices)) annotate.notice([line]);
    const outputs: Outputs = Object.assign(
      { report: writeReport(report) },
      ...parts.map(part => part.outputs),
    );
    setOutputs(outputs);
    debug?.(...outputLines(outputs));
    return undefined;
  } catch (error) {
    return `The step's outputs could not be written: ${reasonOf(error)}.`;
  }
}

function setOutputs(outputs: Outputs): void {
  // Without the file, @actions/core would print the outputs as commands, which the runner no longer takes.
  if (!process.env['GITHUB_OUTPUT']) throw new Error('GITHUB_OUTPUT is not set');
  for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
}

function outputLines(outputs: Outputs): string[] {
  const lengths = Object.entries(outputs).map(([name, { length }]) => `${name} ${formatNumber(length)}`);
  return [`Outputs, with their lengths in characters: ${lengths.join(', ')}`, `Report: ${outputs['report']}`];
}

/** The report file's path; empty, with a warning, where it cannot be written. */
function writeReport(report: Report): string {
  try {
    const temp = process.env['RUNNER_TEMP'];
    if (!temp) throw new Error('RUNNER_TEMP is not set');
    const file = path.join(mkdtempSync(path.join(temp, 'sandbox-sync-')), 'report.json');
    writePieces(file, reportJson(report));
    return file;
  } catch (error) {
    annotate.warning([`The report file could not be written: ${reasonOf(error)}.`]);
    return '';
  }
}

function writePieces(file: string, pieces: Iterable<string>): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    for (const piece of pieces) writeFileSync(descriptor, piece);
  } finally {
    closeSync(descriptor);
  }
}

async function writeSummary(report: Report, debug: DebugLog): Promise<void> {
  try {
    const text = summary(report);
    await stepSummary.addRaw(text).write();
    debug?.(`Summary: ${formatCount(Buffer.byteLength(text), 'byte')}`);
  } catch (error) {
    annotate.warning([`The job summary could not be written: ${reasonOf(error)}.`]);
  }
}

function conclude(report: Report, problem: string | undefined): void {
  annotateFailures(report);
  annotateBreaches(report);
  const verdict = [headline(report), ...furtherLines(report)];
  if (!succeeded(report)) setFailed(messageOf(problem === undefined ? verdict : [...verdict, problem]));
  else if (problem !== undefined) setFailed(messageOf([problem, ...verdict]));
  else logLine(verdict.join(' '));
}

/** One annotation for each kind of failure; those beyond what is shown are counted in one more. */
function annotateFailures(report: Report): void {
  // That the job was cancelled, the verdict says.
  const groups = failureGroups(report).filter(({ error }) => error.kind !== 'cancelled');
  for (const { error, sources } of groups.slice(0, MAX_GROUPS)) {
    const names = sources.slice(0, MAX_NAMES).map(source => `- ${source}`);
    const rest = sources.length > MAX_NAMES ? [`- and ${formatNumber(sources.length - MAX_NAMES)} more`] : [];
    annotate.error([error.message, adviceOn(error, report), ...names, ...rest]);
  }
  const others = groups.slice(MAX_GROUPS).flatMap(({ sources }) => sources);
  if (others.length > 0)
    annotate.error([
      `${formatCount(others.length, 'more file')} failed for other reasons; the report file has each.`,
    ]);
}

/** One annotation for each level. Where nothing could be read, the verdict says why, and a list of conditions would not. */
function annotateBreaches({ gate, samples }: Report): void {
  if (samples.length === 0) return;
  for (const level of ['fail', 'warn'] as const) {
    const lines = gate.breaches.filter(breach => breach.level === level).map(breachLine);
    if (lines.length === 0) continue;
    const title = `${formatCount(lines.length, 'condition')} of ${level}-if tripped:`;
    annotate[level === 'fail' ? 'error' : 'warning']([title, ...lines]);
  }
}

function cut(lines: readonly string[]): readonly string[] {
  return lines.length <= MAX_GROUPS
    ? lines
    : [...lines.slice(0, MAX_GROUPS), `And ${lines.length - MAX_GROUPS} more.`];
}

/** What an error says, without a full stop of its own. */
function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.+$/, '');
}
