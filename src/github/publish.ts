import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { notice, setOutput, summary as stepSummary, warning } from '@actions/core';
import type { OutputPair } from '../command/outputs.ts';
import {
  headlineOf,
  type RenderedReport,
  type Report,
  renderReport,
  reportJson,
} from '../report/render.ts';
import { linesOf } from '../report/section.ts';
import { describeKept, summaryOf, summaryOfLines } from '../report/summary.ts';
import { inlineCode } from '../text/escape.ts';
import { errorText } from '../text/format.ts';
import { listSome } from '../text/shorten.ts';
import { tempDirectory } from './job-state.ts';
import type { StepLog } from './log.ts';

/** Writes the outputs, the summary and the verdict, even if one of them fails. */
export async function publish(
  report: Report,
  log: StepLog,
  { withSummary }: { readonly withSummary: boolean },
): Promise<void> {
  const rendered = renderReport(report);
  if (rendered.fileLines.length > 0) log.group('Files', rendered.fileLines);
  writeOutputs(report, rendered, log);
  if (withSummary) await writeSummary(summaryOf(report, rendered), log.warning);
  logVerdict(rendered, log);
}

/** Tells how to look into a sandbox that was kept, and how to delete it. */
export async function publishKept(id: string, expiry: string): Promise<void> {
  const lines = describeKept(id, expiry);
  notice(lines.join('\n'));
  await writeSummary(summaryOfLines(lines), warning);
}

function writeOutputs(report: Report, rendered: RenderedReport, log: StepLog): void {
  try {
    // First, so that none of them can take the place of the step's own.
    setOutputs(rendered.scriptOutputs);
    const names = rendered.scriptOutputs.map(([name]) => inlineCode(name));
    if (names.length > 0) log.line(`Outputs of the script: ${listSome(names)}`);
    setOutputs(Object.entries(rendered.outputs));
    setOutputs(Object.entries(writeFiles(report, rendered)));
  } catch (error) {
    log.fail([`The step's outputs could not be written: ${errorText(error)}.`]);
  }
}

function setOutputs(outputs: readonly OutputPair[]): void {
  for (const [name, value] of outputs) setOutput(name, value);
}

/** Writes the report and the attachments. Returns their paths by output. */
function writeFiles(report: Report, rendered: RenderedReport): Record<string, string> {
  const folder = mkdtempSync(path.join(tempDirectory(), 'sandbox-sync-'));
  const write = (name: string, text: string) => {
    const file = path.join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const attachments = Object.entries(rendered.attachments).map(([output, text]) => {
    return [output, text && write(`${output}.txt`, text)];
  });
  const reportFile = write('report.json', reportJson(report, rendered));
  return { ...Object.fromEntries(attachments), report: reportFile };
}

async function writeSummary(text: string, warn: (message: string) => void): Promise<void> {
  try {
    await stepSummary.addRaw(text).write();
  } catch (error) {
    warn(`The job summary could not be written: ${errorText(error)}.`);
  }
}

/** Logs facts, warnings and the verdict, which begins an annotation if the step did not go well. */
function logVerdict(rendered: RenderedReport, log: StepLog): void {
  const { level, subject, problems, warnings, facts } = rendered;
  const headline = headlineOf(rendered);
  for (const line of facts) log.line(line);
  if (level === 'success') return log.line(headline);
  if (level === 'warning') return log.warning([headline, ...warnings].join('\n'));
  for (const text of warnings) log.warning(subject === '' ? text : `${subject}: ${text}`);
  const [first = [], ...others] = problems.map(linesOf);
  log.fail([headline, ...first.slice(1), ...others.flat()]);
}
