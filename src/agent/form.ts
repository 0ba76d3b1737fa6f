import FormData from 'form-data';

/** The bytes of a multipart/form-data body round the content of its one file. */
export interface Frame {
  readonly contentType: string;
  readonly head: Buffer;
  readonly tail: Buffer;
}

/** Frames a file's content as the part `file`, under a boundary that no content can know beforehand. */
export function frame(filename: string): Frame {
  const form = new FormData();
  const header = partHeader(form.getBoundary(), filename);
  form.append('file', Buffer.alloc(0), { header });
  const bytes = form.getBuffer();
  const length = Buffer.byteLength(header);
  return {
    contentType: `multipart/form-data; boundary=${form.getBoundary()}`,
    head: bytes.subarray(0, length),
    tail: bytes.subarray(length),
  };
}

// Written here because form-data would turn a backslash in the name into a slash. Quote and line breaks are encoded as
// browsers do (WHATWG HTML, multipart/form-data); the backslash is doubled, for the parsers that read it as an escape.
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
