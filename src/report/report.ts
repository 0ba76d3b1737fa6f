import { type Gate, NO_GATE } from '../gate/judge.ts';
import type { Task } from '../inputs/inputs.ts';
import { type MeasuredSection, viewMeasured } from './measured-section.ts';
import type { ReportedError } from './reported-error.ts';
import type { SectionView } from './section-view.ts';
import { EMPTY_UPLOAD, type UploadSection, viewUpload } from './upload-section.ts';

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

/** Describes one step. `sync` has both sections; other tasks have one. */
export interface Report extends TaskInfo {
  readonly upload?: UploadSection;
  readonly measured?: MeasuredSection;
}

/** Returns the views of the sections; the headline of the first becomes that of the report. */
export function viewsOf(report: Report): SectionView[] {
  const { upload, measured } = report;
  return [
    ...(upload === undefined ? [] : [viewUpload(upload, report)]),
    ...(measured === undefined ? [] : [viewMeasured(measured, report)]),
  ];
}

/** Reports a task that failed before it did anything. Its gate fails, too, if it has one. */
export function failedReport(
  task: Task,
  {
    name,
    error,
    cancelled,
    isGated,
  }: { name: string; error: ReportedError; cancelled: boolean; isGated: boolean },
): Report {
  const gate: Gate = isGated ? { ...NO_GATE, state: 'failed' } : NO_GATE;
  const info = { task, name, sandboxId: '', baseUrl: '', cancelled, warnings: [] };
  const sections = { upload: EMPTY_UPLOAD, measured: { samples: [], gate } };
  return { ...info, errors: [error], ...pickSections(task, sections) };
}

function pickSections(
  task: Task,
  { upload, measured }: Required<Pick<Report, 'upload' | 'measured'>>,
): Pick<Report, 'upload' | 'measured'> {
  if (task === 'sync') return { upload, measured };
  return task === 'upload' ? { upload } : { measured };
}
