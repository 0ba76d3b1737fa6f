import { reasonLines } from './reason.ts';
import type { Report } from './report.ts';
import { succeeded, type Verdict } from './verdict.ts';

// Bump the number only if a key is removed or changes its meaning.
const SCHEMA =
  'https://raw.githubusercontent.com/sandbox-sync/sandbox-sync/v1/schema/report-1.json';

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
    errors: errors.map(error => {
      const [message, ...details] = reasonLines(error);
      return { message, details };
    }),
    warnings,
    ...verdict.json,
  };
  return `${JSON.stringify(document)}\n`;
}
