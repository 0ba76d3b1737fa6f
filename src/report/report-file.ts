import { parseKeepingDigits, stringifyExactly } from '../agent/exact-json.ts';
import type { AgentError } from '../agent/failure.ts';
import type { FileResult } from '../upload/transfer.ts';
import { type SyncReport, succeeded, totals } from './report.ts';
import { adviceOn, headline } from './verdict.ts';

/** The report as the JSON text of the file that the output `report` names. */
export function reportJson(report: SyncReport): string {
  const { schema, files, stats, ...rest } = report;
  return stringifyExactly({
    schema,
    succeeded: succeeded(report),
    headline: headline(report),
    totals: totals(report),
    ...rest,
    stats: stats === undefined ? null : parseKeepingDigits(stats.json),
    figures: stats === undefined ? null : Object.fromEntries(stats.figures),
    files: files.map(result => fileEntry(result, report)),
  });
}

function fileEntry(result: FileResult, report: SyncReport): object {
  const { file, ...outcome } = result;
  const { source, target, size } = file;
  const ended =
    outcome.status === 'failed' ? { ...outcome, error: errorEntry(outcome.error, report) } : outcome;
  return { source, target, size, ...ended };
}

function errorEntry(error: AgentError, report: SyncReport): object {
  const { kind, status, message } = error;
  return { kind, status, message, hint: adviceOn(error, report) };
}
