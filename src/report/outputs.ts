import type { Report } from './report.ts';
import { succeeded, type Verdict } from './verdict.ts';

/** Merges the outputs of all sections. */
export function outputsOf({ sections }: Verdict): Readonly<Record<string, string>> {
  return Object.assign({}, ...sections.map(section => section.outputs));
}

// Bump the number for breaking changes only; new keys do not count.
const SCHEMA =
  'https://raw.githubusercontent.com/sandbox-sync/sandbox-sync/v1/schema/report-1.json';

/** Returns the text of report.json, with the keys of the sections that the task has. */
export function reportJson(report: Report, verdict: Verdict): string {
  const { task, name, sandboxId, baseUrl, cancelled, errors, warnings } = report;
  const document = {
    $schema: SCHEMA,
    task,
    succeeded: succeeded(verdict),
    headline: verdict.title,
    name,
    sandboxId,
    baseUrl,
    cancelled,
    errors,
    warnings,
    ...Object.assign({}, ...verdict.sections.map(({ json }) => json)),
  };
  return `${JSON.stringify(document)}\n`;
}
