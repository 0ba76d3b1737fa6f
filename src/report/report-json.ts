import { textsOf } from './reason.ts';
import { type RenderedReport, succeeded } from './render.ts';
import type { Report } from './report.ts';

// Bump the number in this URL only if a key of report.json is removed or changes its meaning.
const REPORT_SCHEMA_URL =
  'https://raw.githubusercontent.com/sandbox-sync/sandbox-sync/v1/schema/report-1.json';

export function reportJson(report: Report, rendered: RenderedReport): string {
  const { task, name, sandbox, cancelled } = report;
  const document = {
    $schema: REPORT_SCHEMA_URL,
    task,
    name,
    sandbox: { id: sandbox.id, baseUrl: sandbox.baseUrl },
    succeeded: succeeded(rendered),
    headline: rendered.title.text,
    cancelled,
    errors: rendered.problems.map(problem => {
      const [message = '', ...details] = textsOf(problem);
      return { message, details };
    }),
    warnings: textsOf(rendered.warnings),
    ...rendered.json,
  };
  return `${JSON.stringify(document)}\n`;
}
