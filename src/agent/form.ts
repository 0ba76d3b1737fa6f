/** A multipart/form-data encoding (RFC 7578) whose parts are all named `file`. */
export interface Form {
  readonly contentType: string;
  /** What stands before the content of the first part. */
  readonly head: (filename: string) => Buffer;
  /** What stands between the contents of two parts, `filename` being that of the second. */
  readonly next: (filename: string) => Buffer;
  /** What ends the body. */
  readonly tail: Buffer;
}

/** A form under a boundary that no content can know beforehand. */
export function openForm(): Form {
  const boundary = `----sandboxsync${crypto.randomUUID().replaceAll('-', '')}`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: filename => Buffer.from(partHeader(boundary, filename)),
    next: filename => Buffer.from(`\r\n${partHeader(boundary, filename)}`),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`),
  };
}

/**
 * Whether every parser reads a filename as it is: printable ASCII, nothing that is escaped or looks so, and no blank at
 * its ends. Others are read in one way by some and in another by others.
 */
export function survives(filename: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(filename) && !/["%;\\]/.test(filename);
}

// Quote and line breaks are encoded as browsers do (WHATWG HTML, multipart/form-data); the backslash is doubled, for the
// parsers that read it as an escape.
function partHeader(boundary: string, filename: string): string {
  const escaped = filename
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '%22')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A');
  return [
    `--${boundary}`,
    `Content-Disposition: form-data; name="file"; filename="${escaped}"`,
    'Content-Type: application/octet-stream',
    '\r\n',
  ].join('\r\n');
}
