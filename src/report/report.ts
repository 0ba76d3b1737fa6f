import type { Gate } from '../gate/judge.ts';
import { unitOf } from '../gate/metrics.ts';
import type { Task } from '../inputs/inputs.ts';
import type { Redact } from '../text/redact.ts';
import type { CommandSection } from './command-section.ts';
import type { DownloadSection } from './download-section.ts';
import type { ReportedError } from './reason.ts';
import type { MeasuredSection } from './stats-section.ts';
import { EMPTY_UPLOAD, type UploadSection } from './upload-section.ts';

export interface Report {
  readonly task: Task;
  /** The input `name` of a monitor or a run; empty for other tasks. */
  readonly name: string;
  readonly sandboxId: string;
  readonly baseUrl: string;
  readonly cancelled: boolean;
  /** Failures of the step as a whole, not of single files. */
  readonly errors: readonly ReportedError[];
  readonly warnings: readonly string[];
  readonly command?: CommandSection;
  readonly upload?: UploadSection;
  readonly measured?: MeasuredSection;
  readonly download?: DownloadSection;
}

export function reportOf(
  task: Task,
  { sandboxId, baseUrl }: Pick<Report, 'sandboxId' | 'baseUrl'>,
  { aborted: cancelled }: AbortSignal,
  result: Partial<Report>,
): Report {
  return { task, name: '', sandboxId, baseUrl, cancelled, errors: [], warnings: [], ...result };
}

/** Reports a task that threw an error. Nothing was judged, so a gate with `fail-if` fails. */
export function failedReport(
  task: Task,
  error: ReportedError,
  { hasFailIf, ...info }: Pick<Report, 'name' | 'cancelled'> & { readonly hasFailIf: boolean },
): Report {
  const state = hasFailIf ? 'failed' : 'none';
  const measured = { samples: [], gate: { state, judgements: [] } } as const;
  const upload = EMPTY_UPLOAD;
  const download = { files: [], retries: 0, durationMs: 0 };
  const command = { title: '', exitCode: undefined, status: '', durationMs: 0, lastLines: [] };
  const sections: Readonly<Record<Task, Partial<Report>>> = {
    sync: { upload, measured },
    upload: { upload },
    download: { download },
    stats: { measured },
    monitor: { measured },
    run: { command, measured },
  };
  const unknown = { sandboxId: '', baseUrl: '' };
  return { task, ...info, ...unknown, errors: [error], warnings: [], ...sections[task] };
}

/**
 * Redacts what users typed, such as a token in the wrong input or in a file name. Skips the samples,
 * whose text is already redacted, and numbers, which may happen to contain the digits of a secret.
 */
export function redactReport({ measured, ...others }: Report, redact: Redact): Report {
  const copy: Report = JSON.parse(JSON.stringify(others), (name, value: unknown) =>
    typeof value === 'string' && !UNREDACTED.includes(name) ? redact(value) : value,
  );
  if (measured === undefined) return copy;
  return { ...copy, measured: { ...measured, gate: redactGate(measured.gate, redact) } };
}

// Redacting a short secret could change digests, and fixed words that the verdict depends on.
const UNREDACTED = ['task', 'status', 'kind', 'digest', 'sha256'];

// JSON would turn a figure of Infinity, such as a mean that overflows, into null.
function redactGate(gate: Gate, redact: Redact): Gate {
  const judgements = gate.judgements.map(judgement => {
    const { text, metric } = judgement.condition;
    // Known metrics decide the unit and the row of a condition.
    const name = unitOf(metric) === undefined ? redact(metric) : metric;
    const condition = { ...judgement.condition, text: redact(text), metric: name };
    if (judgement.holds !== undefined) return { ...judgement, condition };
    return { ...judgement, condition, why: redact(judgement.why) };
  });
  return { ...gate, judgements };
}
