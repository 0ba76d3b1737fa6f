import FormData from 'form-data';

/** A multipart/form-data encoding (RFC 7578) whose parts are all named `file`. */
export interface Form {
  readonly contentType: string;
  /** What stands before the content of the first part, whose place in the sandbox is its filename. */
  readonly head: (filename: string) => Buffer;
  /** What stands between the contents of two parts, `filename` being that of the second. */
  readonly next: (filename: string) => Buffer;
  readonly tail: Buffer;
}

/** A form under a boundary that no content can know beforehand. */
export function openForm(): Form {
  const boundary = `----sandboxsync${crypto.randomUUID().replaceAll('-', '')}`;
  const lineBreak = Buffer.from('\r\n');
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  // One part at a time: the time of getBuffer grows with the square of the parts. Only `filepath` keeps folders.
  const head = (filepath: string) => {
    const form = new FormData();
    form.setBoundary(boundary);
    form.append('file', '', { filepath, contentType: 'application/octet-stream' });
    return form.getBuffer().subarray(0, -tail.length);
  };
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head,
    next: filename => Buffer.concat([lineBreak, head(filename)]),
    tail,
  };
}

/** Whether every parser reads a filename alike: printable ASCII, nothing that is or looks escaped, no blank at its ends. */
export function survives(filename: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(filename) && !/["%;\\]/.test(filename);
}
