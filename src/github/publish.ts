import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setOutput, summary as stepSummary } from '@actions/core';
import {
  type RenderedReport,
  type Report,
  renderReport,
  reportJson,
  succeeded,
} from '../report/render.ts';
import { textsOf } from '../report/section.ts';
import { summaryOf } from '../report/summary.ts';
import { errorText } from '../text/format.ts';
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
  if (withSummary) await writeSummary(report, rendered, log);
  logVerdict(report, rendered, log);
}

function writeOutputs(report: Report, rendered: RenderedReport, log: StepLog): void {
  try {
    setOutputs(rendered.outputs);
    setOutputs(writeFiles(report, rendered));
  } catch (error) {
    log.fail([`The step's outputs could not be written: ${errorText(error)}.`]);
  }
}

function setOutputs(outputs: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
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

async function writeSummary(report: Report, rendered: RenderedReport, log: StepLog): Promise<void> {
  try {
    await stepSummary.addRaw(summaryOf(report, rendered)).write();
  } catch (error) {
    log.warning(`The job summary could not be written: ${errorText(error)}.`);
  }
}

function logVerdict({ name }: Report, rendered: RenderedReport, log: StepLog): void {
  const { title, reasons, warnings, facts } = rendered;
  const prefix = name === '' ? '' : `${name}: `;
  for (const line of facts) log.line(line);
  for (const { text } of warnings) log.warning(`${prefix}${text}`);
  // Lists of annotations only show the first line, so begin it with the name.
  const verdict = `${prefix}${title.text}`;
  if (succeeded(rendered)) log.line(verdict);
  else log.fail([verdict, ...reasons.flatMap(textsOf)]);
}
