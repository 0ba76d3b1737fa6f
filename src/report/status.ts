import type { FileResult } from '../upload/result.ts';

/** How a file ended, in words. The only files that are planned and skipped are those of a dry run. */
export const STATUS: Readonly<Record<FileResult['status'], string>> = {
  uploaded: 'uploaded',
  unchanged: 'unchanged',
  failed: 'failed',
  skipped: 'would be uploaded',
  'not-attempted': 'not attempted',
};
