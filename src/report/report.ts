import type { CommandResult } from '../command/run.ts';
import type { DownloadResult } from '../download/download.ts';
import type { Task } from '../inputs/inputs.ts';
import type { StatsResult } from '../stats/stats.ts';
import type { Redact } from '../text/escape.ts';
import type { UploadResult } from '../upload/upload.ts';
import type { Reason } from './section.ts';

/** What the actions of a step return. */
export interface Results {
  readonly command?: CommandResult;
  readonly upload?: UploadResult;
  readonly stats?: StatsResult;
  readonly download?: DownloadResult;
}

export interface Report extends Results {
  readonly task: Task;
  /** The input `name` of a monitor or a run; empty for other tasks. */
  readonly name: string;
  /** Has empty strings if the step failed before it knew its sandbox. */
  readonly sandbox: { readonly id: string; readonly baseUrl: string };
  readonly cancelled: boolean;
  /** What the step has thrown. It has no results then. */
  readonly error?: Reason;
  /** True for an error in a step with `fail-if`: nothing was judged, so the gate fails. */
  readonly isGateUnseen: boolean;
}

/**
 * Redacts what users typed, such as a token in the wrong input or in a file name. Skips figures and
 * other numbers, which may happen to contain the digits of a secret.
 */
export function redactReport(report: Report, redact: Redact): Report {
  const copy = mapStrings(report, (text, key) => (UNREDACTED.test(key) ? text : redact(text)));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only texts have changed
  return copy as Report;
}

// Redacting a short secret could change digests, and fixed words that the summary depends on. The
// response was redacted as JSON, since a secret of digits must not break its numbers.
const UNREDACTED =
  /^(task|status|kind|by|result|state|level|operator|aggregate|ifNoFilesFound|digest|sha256|response)$/;

function mapStrings(value: unknown, map: (text: string, key: string) => string, key = ''): unknown {
  if (typeof value === 'string') return map(value, key);
  if (Array.isArray(value)) return value.map(item => mapStrings(item, map, key));
  // Metrics are redacted where they are decoded.
  if (typeof value !== 'object' || value === null || value instanceof Map) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, field]) => [name, mapStrings(field, map, name)]));
}
