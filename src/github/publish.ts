import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setFailed, setOutput, summary as stepSummary } from '@actions/core';
import { type Outputs, statsOutputs, uploadOutputs } from '../report/outputs.ts';
import { type SyncReport, succeeded } from '../report/report.ts';
import { reportJson } from '../report/report-file.ts';
import { summary } from '../report/summary.ts';
import { formatNumber } from '../report/units.ts';
import { adviceOn, failureGroups, furtherLines, headline } from '../report/verdict.ts';
import type { FileResult } from '../upload/transfer.ts';
import { annotate, harmless, logGroup, logLine } from './log.ts';

// Ten annotations of a level are shown, and the verdict is one of them.
const MAX_GROUPS = 8;
const MAX_NAMES = 10;
const MAX_FILE_LINES = 1000;

/** Writes outputs, then the summary, then the verdict: always all three, whatever became of the ones before. */
export async function publish(report: SyncReport, options: { readonly summary: boolean }): Promise<void> {
  logFiles(report);
  const problem = writeOutputs(report);
  if (options.summary) await writeSummary(report);
  for (const warning of cut(report.warnings)) annotate.warning([warning]);
  conclude(report, problem);
}

function logFiles({ files, leftOut }: SyncReport): void {
  if (files.length === 0) return;
  const lines = files.slice(0, MAX_FILE_LINES).map(fileLine);
  const rest = files.length - lines.length;
  const more = rest > 0 ? [`and ${formatNumber(rest)} more; the report file has them all`] : [];
  logGroup('Files', [
    ...lines,
    ...more,
    ...leftOut.slice(0, MAX_FILE_LINES).map(({ path, reason }) => `left out: ${path} (${reason})`),
  ]);
}

const WORDS: Readonly<Record<FileResult['status'], string>> = {
  uploaded: 'uploaded',
  failed: 'failed',
  skipped: 'would be uploaded',
  'not-attempted': 'not attempted',
};

function fileLine(result: FileResult): string {
  const { source, target } = result.file;
  return `${WORDS[result.status]}: ${source} → ${result.status === 'uploaded' ? result.path : target}`;
}

/** A sentence on what kept the outputs from being written, if anything did. */
function writeOutputs(report: SyncReport): string | undefined {
  const upload = uploadOutputs(report);
  const stats = statsOutputs(report);
  for (const line of [...upload.notices, ...stats.notices]) annotate.notice([line]);
  try {
    setOutputs({ ...upload.outputs, report: writeReport(report), ...stats.outputs });
    return undefined;
  } catch (error) {
    return `The step's outputs could not be written: ${String(error)}.`;
  }
}

function setOutputs(outputs: Outputs): void {
  // Without the file, @actions/core would print the outputs as commands, which the runner no longer takes.
  if (!process.env['GITHUB_OUTPUT']) throw new Error('GITHUB_OUTPUT is not set');
  for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
}

/** The report file's path; empty, with a warning, where it cannot be written. */
function writeReport(report: SyncReport): string {
  try {
    const temp = process.env['RUNNER_TEMP'];
    if (!temp) throw new Error('RUNNER_TEMP is not set');
    const file = path.join(mkdtempSync(path.join(temp, 'sandbox-sync-')), 'report.json');
    writeFileSync(file, `${reportJson(report)}\n`, { mode: 0o600 });
    return file;
  } catch (error) {
    annotate.warning([`The report file could not be written: ${String(error)}.`]);
    return '';
  }
}

async function writeSummary(report: SyncReport): Promise<void> {
  try {
    await stepSummary.addRaw(summary(report)).write();
  } catch (error) {
    annotate.warning([`The job summary could not be written: ${String(error)}.`]);
  }
}

function conclude(report: SyncReport, problem: string | undefined): void {
  const groups = failureGroups(report);
  for (const { error, sources } of groups.slice(0, MAX_GROUPS)) {
    const names = sources.slice(0, MAX_NAMES).map(source => `- ${source}`);
    const rest = sources.length > MAX_NAMES ? [`- and ${sources.length - MAX_NAMES} more`] : [];
    annotate.error([error.message, adviceOn(error, report), ...names, ...rest]);
  }
  const verdict = [headline(report), ...furtherLines(report)];
  if (succeeded(report) && problem === undefined) logLine(verdict.join(' '));
  else setFailed([...verdict, ...(problem === undefined ? [] : [problem])].map(harmless).join('\n'));
}

function cut(lines: readonly string[]): readonly string[] {
  return lines.length <= MAX_GROUPS
    ? lines
    : [...lines.slice(0, MAX_GROUPS), `And ${lines.length - MAX_GROUPS} more.`];
}
