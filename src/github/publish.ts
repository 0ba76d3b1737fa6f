import { mkdtempSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setFailed, setOutput, summary as stepSummary } from '@actions/core';
import { breachLine } from '../report/figures.ts';
import { hiddenLine, notices } from '../report/notices.ts';
import { aggregatesOf, outputsOf, reportJson } from '../report/outputs.ts';
import { type Report, succeeded } from '../report/report.ts';
import { summary } from '../report/summary.ts';
import { adviceOn, failureGroups, furtherLines, headline } from '../report/verdict.ts';
import { firstOf } from '../text/cut.ts';
import type { Debug } from '../text/debug.ts';
import { formatCount, formatNumber } from '../text/units.ts';
import { annotate, logFiles, logLine, messageOf } from './log.ts';

// Ten annotations of a level are shown: these, one for other failures, one for the gate, and the verdict.
const MAX_GROUPS = 7;
const MAX_NAMES = 10;

/** Writes outputs, then the summary, then the verdict: always all three, whatever became of the ones before. */
export async function publish(report: Report, withSummary: boolean, debug: Debug | undefined): Promise<void> {
  logFiles(report);
  const problem = await writeOutputs(report, debug);
  if (withSummary) await writeSummary(report, debug);
  const warnings = { show: (warning: string) => warning, more: (rest: number) => `And ${rest} more.` };
  for (const warning of firstOf(report.warnings, MAX_GROUPS, warnings)) annotate.warning([warning]);
  for (const line of notices(report)) annotate.notice([line]);
  annotateFailures(report);
  annotateBreaches(report);
  const verdict = [headline(report), ...furtherLines(report)];
  if (!succeeded(report)) setFailed(messageOf([...verdict, ...problem]));
  else if (problem.length > 0) setFailed(messageOf([...problem, ...verdict]));
  else logLine([...verdict, ...hiddenLine(report)].join(' '));
}

/** A sentence on what kept the outputs from being written, if anything did. */
async function writeOutputs(report: Report, debug: Debug | undefined): Promise<string[]> {
  try {
    const aggregates = aggregatesOf(report.samples);
    const { outputs, notices: tooLong } = outputsOf(report, aggregates);
    for (const line of tooLong) annotate.notice([line]);
    const file = await writeReport(report, aggregates);
    // Without the file, @actions/core would print the outputs as commands, which the runner no longer takes.
    if (!process.env['GITHUB_OUTPUT']) throw new Error('GITHUB_OUTPUT is not set');
    const entries = Object.entries({ report: file, ...outputs });
    for (const [name, value] of entries) setOutput(name, value);
    const lengths = entries.map(([name, { length }]) => `${name} ${formatNumber(length)}`);
    debug?.('outputs', `Outputs, with their lengths in characters: ${lengths.join(', ')}`);
    debug?.('outputs', `Report: ${file}`);
    return [];
  } catch (error) {
    return [`The step's outputs could not be written: ${reasonOf(error)}.`];
  }
}

/** The report file's path; empty, with a warning, where it cannot be written. */
async function writeReport(report: Report, aggregates: object): Promise<string> {
  try {
    const temp = process.env['RUNNER_TEMP'];
    if (!temp) throw new Error('RUNNER_TEMP is not set');
    const file = path.join(mkdtempSync(path.join(temp, 'sandbox-sync-')), 'report.json');
    await writeFile(file, reportJson(report, aggregates), { flag: 'wx', mode: 0o600 });
    return file;
  } catch (error) {
    annotate.warning([`The report file could not be written: ${reasonOf(error)}.`]);
    return '';
  }
}

async function writeSummary(report: Report, debug: Debug | undefined): Promise<void> {
  try {
    const text = summary(report);
    await stepSummary.addRaw(text).write();
    debug?.('summary', `Summary: ${formatCount(Buffer.byteLength(text), 'byte')}`);
  } catch (error) {
    annotate.warning([`The job summary could not be written: ${reasonOf(error)}.`]);
  }
}

/** One annotation for each kind of failure; those beyond what is shown are counted in one more. */
function annotateFailures(report: Report): void {
  // That the job was cancelled, the verdict says.
  const groups = failureGroups(report).filter(({ error }) => error.kind !== 'cancelled');
  for (const { error, sources } of groups.slice(0, MAX_GROUPS)) {
    const names = firstOf(sources, MAX_NAMES, {
      show: source => `- ${source}`,
      more: rest => `- and ${formatNumber(rest)} more`,
    });
    annotate.error([error.message, adviceOn(error, report), ...names]);
  }
  const others = groups.slice(MAX_GROUPS).flatMap(({ sources }) => sources);
  if (others.length === 0) return;
  annotate.error([`${formatCount(others.length, 'more file')} failed for other reasons; the report file lists each.`]);
}

/** One annotation for each level. Where nothing could be read, the verdict says why, and a list of conditions would not. */
function annotateBreaches({ gate, samples }: Report): void {
  if (samples.length === 0) return;
  for (const [level, write] of [
    ['fail', annotate.error],
    ['warn', annotate.warning],
  ] as const) {
    const lines = gate.breaches.filter(breach => breach.level === level).map(breach => breachLine(breach, samples));
    if (lines.length > 0) write([`${formatCount(lines.length, 'condition')} of ${level}-if tripped:`, ...lines]);
  }
}

/** What an error says, without a full stop of its own. */
function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.+$/, '');
}
