import { mkdtempSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setFailed, setOutput, summary as stepSummary } from '@actions/core';
import { breachLine } from '../report/breaches.ts';
import { checksumsOf } from '../report/checksums.ts';
import { hiddenNotice, notices } from '../report/notices.ts';
import { aggregatesOf, outputsOf, reportJson } from '../report/outputs.ts';
import { isUpload, nameDigest, type Report, succeeded } from '../report/report.ts';
import { summary } from '../report/summary.ts';
import { adviceFor, failureGroups, furtherLines, headline, withName } from '../report/verdict.ts';
import { abbreviate, formatCount, formatNumber } from '../text/format.ts';
import { annotate, logFiles, logLine, toMessage } from './log.ts';

// Ten annotations of a level are shown: these, one for other failures, and the verdict.
const MAX_GROUPS = 7;
const MAX_NAMES = 10;

/** Writes outputs, then the summary, then the verdict: always all three, whatever failed before. */
export async function publish(report: Report, withSummary: boolean): Promise<void> {
  logFiles(report);
  if (report.digest !== '') logLine(`${nameDigest(report)}: ${report.digest}`);
  const outputProblem = await writeOutputs(report);
  if (withSummary) await writeSummary(report);
  annotateWarnings(report);
  for (const line of notices(report)) annotate.notice([line]);
  annotateFailures(report);
  const verdict = [headline(report), ...furtherLines(report)];
  if (!succeeded(report)) setFailed(toMessage([...verdict, ...outputProblem]));
  else if (outputProblem.length > 0) setFailed(toMessage([...outputProblem, ...verdict]));
  else logLine([...verdict, ...hiddenNotice(report)].join(' '));
}

/** Why the outputs could not be written, if so. */
async function writeOutputs(report: Report): Promise<string[]> {
  try {
    const aggregates = aggregatesOf(report.samples);
    const { outputs, notices: tooLong } = outputsOf(report, aggregates);
    for (const line of tooLong) annotate.notice([line]);
    const files = await writeFiles(report, aggregates);
    // Without the file, @actions/core prints the outputs as commands that the runner ignores.
    if (!process.env['GITHUB_OUTPUT']) throw new Error('GITHUB_OUTPUT is not set');
    for (const [name, value] of Object.entries({ ...files, ...outputs })) setOutput(name, value);
    return [];
  } catch (error) {
    return [`The step's outputs could not be written: ${reasonOf(error)}.`];
  }
}

/** Writes the files that outputs name. Returns their paths; after a warning, empty ones. */
async function writeFiles(report: Report, aggregates: object): Promise<Record<string, string>> {
  const none = isUpload(report) ? { report: '', checksums: '' } : { report: '' };
  try {
    const temp = process.env['RUNNER_TEMP'];
    if (!temp) throw new Error('RUNNER_TEMP is not set');
    const folder = mkdtempSync(path.join(temp, 'sandbox-sync-'));
    const write = async (name: string, content: Iterable<string>) => {
      const file = path.join(folder, name);
      await writeFile(file, content, { flag: 'wx', mode: 0o600 });
      return file;
    };
    const lines = isUpload(report) ? checksumsOf(report) : [];
    const checksums = lines.length === 0 ? '' : await write('checksums.txt', lines);
    const files = { report: await write('report.json', reportJson(report, aggregates)) };
    return isUpload(report) ? { ...files, checksums } : files;
  } catch (error) {
    annotate.warning([`The report file could not be written: ${reasonOf(error)}.`]);
    return none;
  }
}

async function writeSummary(report: Report): Promise<void> {
  try {
    await stepSummary.addRaw(summary(report)).write();
  } catch (error) {
    annotate.warning([`The job summary could not be written: ${reasonOf(error)}.`]);
  }
}

function annotateWarnings(report: Report): void {
  const { warnings, gate, samples } = report;
  const lines = abbreviate(warnings, MAX_GROUPS, {
    show: warning => warning,
    more: rest => `And ${rest} more.`,
  });
  for (const line of lines) annotate.warning([withName(report, line)]);
  // Without samples, the verdict says why, and a list of conditions would not.
  const tripped = gate.breaches.filter(({ level }) => level === 'warn' && samples.length > 0);
  if (tripped.length === 0) return;
  annotate.warning([
    withName(report, `${formatCount(tripped.length, 'condition')} of warn-if tripped:`),
    ...tripped.map(breach => breachLine(breach, samples)),
  ]);
}

/** One annotation per kind of failure, and one more that counts those beyond what is shown. */
function annotateFailures(report: Report): void {
  // The verdict says that the job was cancelled.
  const groups = failureGroups(report).filter(({ error }) => error.kind !== 'cancelled');
  for (const { error, sources } of groups.slice(0, MAX_GROUPS)) {
    const names = abbreviate(sources, MAX_NAMES, {
      show: source => `- ${source}`,
      more: rest => `- and ${formatNumber(rest)} more`,
    });
    annotate.error([error.message, adviceFor(error, report), ...names]);
  }
  const others = groups.slice(MAX_GROUPS).flatMap(({ sources }) => sources);
  if (others.length === 0) return;
  annotate.error([
    `${formatCount(others.length, 'more file')} failed for other reasons; the report file lists each.`,
  ]);
}

/** What an error says, without a full stop. */
function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.+$/, '');
}
