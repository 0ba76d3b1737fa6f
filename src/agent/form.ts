import FormData from 'form-data';

/** A multipart/form-data encoding (RFC 7578) whose parts are all named `file`. */
export interface Form {
  readonly contentType: string;
  /** What stands before the content of a part, whose place in the sandbox is its filename; `isNext` to another part. */
  readonly head: (filename: string, isNext?: boolean) => Buffer;
  readonly tail: Buffer;
}

const LINE_BREAK = Buffer.from('\r\n');

/** A form under a boundary that no content can know beforehand. */
export function openForm(): Form {
  const boundary = `----sandboxsync${crypto.randomUUID().replaceAll('-', '')}`;
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  // One part at a time: the time of getBuffer grows with the square of the parts. Only `filepath` keeps folders.
  const head = (filepath: string, isNext = false) => {
    const form = new FormData();
    form.setBoundary(boundary);
    form.append('file', '', { filepath, contentType: 'application/octet-stream' });
    const own = form.getBuffer().subarray(0, -tail.length);
    return isNext ? Buffer.concat([LINE_BREAK, own]) : own;
  };
  return { contentType: `multipart/form-data; boundary=${boundary}`, head, tail };
}

/** Whether every parser reads a filename alike: printable ASCII, nothing that is or looks escaped, no blank at its ends. */
export function survives(filename: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(filename) && !/["%;\\]/.test(filename);
}
