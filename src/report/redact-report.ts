import type { Redact } from '../text/redact.ts';
import type { FileResult } from '../transfer/transfer.ts';
import type { Report } from './report.ts';
import type { ReportedError } from './reported-error.ts';
import type { UploadSection } from './upload-section.ts';

/**
 * Redacts what users typed, such as a token in the wrong input or in the name of a file. What the
 * service answered is already redacted.
 */
export function redactReport(report: Report, redact: Redact): Report {
  const { name, sandboxId, baseUrl, errors, warnings, upload } = report;
  return {
    ...report,
    name: redact(name),
    sandboxId: redact(sandboxId),
    baseUrl: redact(baseUrl),
    errors: errors.map(error => redactError(error, redact)),
    warnings: warnings.map(redact),
    ...(upload === undefined ? {} : { upload: redactUpload(upload, redact) }),
  };
}

function redactError(
  { message, title, details, advice = [] }: ReportedError,
  redact: Redact,
): ReportedError {
  return {
    message: redact(message),
    ...(title !== undefined && { title: redact(title) }),
    details: details.map(redact),
    advice: advice.map(redact),
  };
}

function redactUpload(section: UploadSection, redact: Redact): UploadSection {
  const { files, skipped } = section;
  return {
    ...section,
    files: files.map(result => redactFile(result, redact)),
    skipped: skipped.map(({ path, reason }) => ({ path: redact(path), reason: redact(reason) })),
  };
}

function redactFile(result: FileResult, redact: Redact): FileResult {
  const { source, target } = result.file;
  const file = { ...result.file, source: redact(source), target: redact(target) };
  if ('reason' in result) return { ...result, file, reason: redact(result.reason) };
  if ('path' in result) return { ...result, file };
  const { error } = result;
  return { ...result, file, error: { ...error, message: redact(error.message) } };
}
