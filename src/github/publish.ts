import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setOutput, summary as stepSummary } from '@actions/core';
import { checksumsOf } from '../report/checksums.ts';
import { outputsOf, reportJson } from '../report/outputs.ts';
import { isUpload, type Report } from '../report/report.ts';
import { summaryOf } from '../report/summary.ts';
import { type FailureGroup, type Verdict, verdictOf } from '../report/verdict.ts';
import { abbreviate, formatNumber } from '../text/format.ts';
import { errorText } from '../text/json.ts';
import type { Redact } from '../text/redact.ts';
import { type Log, logFiles } from './log.ts';
import { requireFiles, tempDirectory } from './runner.ts';

interface PublishOptions {
  readonly log: Log;
  readonly redact: Redact;
  readonly withSummary: boolean;
}

/** Writes the outputs, the summary and the verdict, even if one of them fails. */
export async function publish(report: Report, options: PublishOptions): Promise<void> {
  const { log, withSummary } = options;
  const verdict = verdictOf(report);
  logFiles(report, log);
  const problems = writeOutputs(report, verdict, options);
  if (withSummary) await writeSummary(report, verdict, options);
  logVerdict(report, verdict, problems, log);
}

function writeOutputs(report: Report, verdict: Verdict, options: PublishOptions): string[] {
  try {
    const outputs = { ...writeFiles(report, verdict, options), ...outputsOf(report) };
    requireFiles('GITHUB_OUTPUT');
    for (const [name, value] of Object.entries(outputs)) setOutput(name, options.redact(value));
    return [];
  } catch (error) {
    return [`The step's outputs could not be written: ${errorText(error)}.`];
  }
}

function writeFiles(
  report: Report,
  verdict: Verdict,
  { log, redact }: PublishOptions,
): Record<string, string> {
  const noFiles = isUpload(report) ? { report: '', checksums: '' } : { report: '' };
  try {
    const folder = mkdtempSync(path.join(tempDirectory(), 'sandbox-sync-'));
    const write = (name: string, text: string) => {
      const file = path.join(folder, name);
      writeFileSync(file, redact(text), { flag: 'wx', mode: 0o600 });
      return file;
    };
    const list = checksumsOf(report);
    const checksums = list === '' ? '' : write('checksums.txt', list);
    return {
      ...noFiles,
      ...(checksums && { checksums }),
      report: write('report.json', reportJson(report, verdict)),
    };
  } catch (error) {
    log.warning([`The report file could not be written: ${errorText(error)}.`]);
    return noFiles;
  }
}

async function writeSummary(
  report: Report,
  verdict: Verdict,
  { log, redact }: PublishOptions,
): Promise<void> {
  try {
    await stepSummary.addRaw(redact(summaryOf(report, verdict))).write();
  } catch (error) {
    log.warning([`The job summary could not be written: ${errorText(error)}.`]);
  }
}

// GitHub shows ten annotations per level, and the verdict is one of the errors.
const MAX_ANNOTATIONS = 9;

function logVerdict(report: Report, verdict: Verdict, problems: readonly string[], log: Log): void {
  const { level, title, lines, failures, warnings, notices, upload } = verdict;
  const prefix = report.name === '' ? '' : `${report.name}: `;
  if (upload !== '') log.line(upload);
  if (report.digest !== '') log.line(`Digest: ${report.digest}`);
  for (const { text } of warnings.slice(0, MAX_ANNOTATIONS)) log.warning([`${prefix}${text}`]);
  for (const text of notices) log.notice([text]);
  for (const group of failures.slice(0, MAX_ANNOTATIONS)) log.error(failureLines(group));
  // Lists of annotations only show the first line, so begin with the cause.
  const [first, ...others] = [...problems, ...lines.map(({ text }) => text), title];
  const texts = [`${prefix}${first}`, ...others];
  const hasFailed = level === 'failure' || level === 'cancelled' || problems.length > 0;
  if (hasFailed) log.fail(texts);
  else log.line(texts.join(' '));
}

const MAX_NAMES = 10;

function failureLines({ message, hint, sources }: FailureGroup): string[] {
  const names = abbreviate(sources, MAX_NAMES, count => `and ${formatNumber(count)} more`);
  return [message, hint, ...names.map(name => `- ${name}`)];
}
