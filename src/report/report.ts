import { type Gate, NO_GATE } from '../gate/judge.ts';
import type { Task } from '../inputs/inputs.ts';
import { type CommandSection, EMPTY_COMMAND } from './command-section.ts';
import { type DownloadSection, EMPTY_DOWNLOAD } from './download-section.ts';
import type { MeasuredSection } from './measured-section.ts';
import type { ReportedError } from './reported-error.ts';
import { EMPTY_UPLOAD, type UploadSection } from './upload-section.ts';

type Sections = Omit<Report, keyof ReportHeader>;

export interface ReportHeader {
  readonly task: Task;
  /** The input `name` of a monitor or a run; empty for other tasks. */
  readonly name: string;
  readonly sandboxId: string;
  readonly baseUrl: string;
  readonly cancelled: boolean;
  /** Failures of the step as a whole, not of single files. */
  readonly errors: readonly ReportedError[];
  readonly warnings: readonly string[];
}

/** Describes one step, with a section for each thing that its task does. */
export interface Report extends ReportHeader {
  readonly command?: CommandSection;
  readonly upload?: UploadSection;
  readonly measured?: MeasuredSection;
  readonly download?: DownloadSection;
}

/** Describes a task by its sandbox, whether it is cancelled by now, and its result. */
export function reportOf(
  task: Task,
  { sandboxId, baseUrl }: Pick<ReportHeader, 'sandboxId' | 'baseUrl'>,
  { aborted: cancelled }: AbortSignal,
  result: Partial<Report>,
): Report {
  return { task, name: '', sandboxId, baseUrl, cancelled, errors: [], warnings: [], ...result };
}

interface EarlyFailure extends Pick<ReportHeader, 'name' | 'cancelled'> {
  readonly error: ReportedError;
  readonly isGated: boolean;
}

/** Reports a task that failed before it did anything. If it has a gate, the gate fails, too. */
export function failedReport(task: Task, { error, isGated, ...info }: EarlyFailure): Report {
  const gate: Gate = isGated ? { ...NO_GATE, state: 'failed' } : NO_GATE;
  const measured = { samples: [], gate };
  const sections: Readonly<Record<Task, Sections>> = {
    sync: { upload: EMPTY_UPLOAD, measured },
    upload: { upload: EMPTY_UPLOAD },
    download: { download: EMPTY_DOWNLOAD },
    stats: { measured },
    monitor: { measured },
    run: { command: EMPTY_COMMAND, measured },
  };
  const unknown = { sandboxId: '', baseUrl: '' };
  return { task, ...info, ...unknown, errors: [error], warnings: [], ...sections[task] };
}
