import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setOutput, summary as stepSummary } from '@actions/core';
import { reasonLines } from '../report/reason.ts';
import { type Report, redactReport } from '../report/report.ts';
import { reportJson, succeeded, summaryOf, type Verdict, verdictOf } from '../report/verdict.ts';
import { errorText } from '../text/errors.ts';
import type { Redact } from '../text/redact.ts';
import type { StepLog } from './log.ts';
import { tempDirectory } from './runner.ts';

/** Writes the outputs, the summary and the verdict, even if one of them fails. */
export async function publish(
  unredacted: Report,
  { log, redact, withSummary }: { log: StepLog; redact: Redact; withSummary: boolean },
): Promise<void> {
  const report = redactReport(unredacted, redact);
  const verdict = verdictOf(report);
  if (verdict.fileLines.length > 0) log.group('Files', verdict.fileLines);
  const problems = writeOutputs(report, verdict, log);
  if (withSummary) await writeSummary(report, verdict, log);
  logVerdict(report, verdict, problems, log);
}

function writeOutputs(report: Report, verdict: Verdict, log: StepLog): string[] {
  try {
    const outputs = { ...writeFiles(report, verdict, log), ...verdict.outputs };
    for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
    return [];
  } catch (error) {
    return [`The step's outputs could not be written: ${errorText(error)}.`];
  }
}

/** Writes the report and checksums. Returns their paths by output; '' for a file not written. */
function writeFiles(report: Report, verdict: Verdict, log: StepLog): Record<string, string> {
  const { checksums } = verdict;
  try {
    const folder = mkdtempSync(path.join(tempDirectory(), 'sandbox-sync-'));
    const write = (name: string, text: string) => {
      const file = path.join(folder, name);
      writeFileSync(file, text, { mode: 0o600 });
      return file;
    };
    // reportJson() nests the stats further, so it may throw a RangeError.
    const paths = { report: write('report.json', reportJson(report, verdict)) };
    if (checksums === undefined) return paths;
    return { ...paths, checksums: checksums && write('checksums.txt', checksums) };
  } catch (error) {
    log.warning(`The report file could not be written: ${errorText(error)}.`);
    return { report: '' };
  }
}

async function writeSummary(report: Report, verdict: Verdict, log: StepLog): Promise<void> {
  try {
    await stepSummary.addRaw(summaryOf(report, verdict)).write();
  } catch (error) {
    log.warning(`The job summary could not be written: ${errorText(error)}.`);
  }
}

// GitHub shows ten annotations per level, and the verdict is one of the errors.
const MAX_ANNOTATIONS = 9;

function logVerdict(
  { name }: Report,
  verdict: Verdict,
  problems: readonly string[],
  log: StepLog,
): void {
  const { title, titleHasCause, reasons, fileFailures, warnings, notices, logLines } = verdict;
  const prefix = name === '' ? '' : `${name}: `;
  const withName = ([first = '', ...others]: readonly string[]) => [`${prefix}${first}`, ...others];
  for (const line of logLines) log.line(line);
  for (const { text } of warnings.slice(0, MAX_ANNOTATIONS)) log.warning(`${prefix}${text}`);
  for (const text of notices) log.notice(`${prefix}${text}`);
  for (const failure of fileFailures.slice(0, MAX_ANNOTATIONS))
    log.error(withName(reasonLines(failure)));
  const causes = reasons.flatMap(reasonLines);
  const ending = titleHasCause ? [title, ...causes] : [...causes, title];
  const texts = withName([...problems, ...ending]);
  if (succeeded(verdict) && problems.length === 0) log.line(texts.join(' '));
  else log.fail(texts);
}
