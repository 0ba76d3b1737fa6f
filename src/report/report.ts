import { type Gate, NO_GATE } from '../gate/judge.ts';
import type { Task } from '../inputs/inputs.ts';
import { type MeasuredSection, viewMeasured } from './measured-section.ts';
import type { ReportedError } from './reported-error.ts';
import type { SectionView } from './section-view.ts';
import { NOTHING_SENT, type UploadSection, viewUpload } from './upload-section.ts';

/** What every task reports. */
export interface TaskInfo {
  readonly task: Task;
  /** The monitor's name; empty for other tasks. */
  readonly name: string;
  readonly sandboxId: string;
  readonly baseUrl: string;
  readonly cancelled: boolean;
  /** Failures of the step as a whole, not of single files. */
  readonly errors: readonly ReportedError[];
  readonly warnings: readonly string[];
}

/** Everything about one step, with a section for each thing that its task does. */
export interface Report extends TaskInfo {
  readonly upload?: UploadSection;
  readonly measured?: MeasuredSection;
}

/** Returns what each section of the report says, in the order of the headline. */
export function viewsOf(report: Report): SectionView[] {
  const { upload, measured } = report;
  return [
    ...(upload === undefined ? [] : [viewUpload(upload, report)]),
    ...(measured === undefined ? [] : [viewMeasured(measured)]),
  ];
}

/** Reports a task that failed before it did anything; a configured gate then fails, too. */
export function failedReport(
  task: Task,
  { name, error, isGated }: { name: string; error: ReportedError; isGated: boolean },
): Report {
  const gate: Gate = isGated ? { ...NO_GATE, state: 'failed' } : NO_GATE;
  const info = { task, name, sandboxId: '', baseUrl: '', cancelled: false, warnings: [] };
  const sections = { upload: NOTHING_SENT, measured: { samples: [], gate } };
  return { ...info, errors: [error], ...pickSections(task, sections) };
}

function pickSections(
  task: Task,
  { upload, measured }: Required<Pick<Report, 'upload' | 'measured'>>,
): Pick<Report, 'upload' | 'measured'> {
  if (task === 'sync') return { upload, measured };
  return task === 'upload' ? { upload } : { measured };
}
