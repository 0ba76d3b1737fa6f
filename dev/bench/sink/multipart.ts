/** A file that arrived. */
export interface ReceivedFile {
  readonly name: string;
  readonly bytes: number;
}

/** Reads a body piece by piece. */
export interface BodyReader {
  readonly push: (piece: Buffer) => void;
  /** The files of the body, once all of it was pushed. */
  readonly files: () => readonly ReceivedFile[];
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Counts the files of a multipart/form-data body and their bytes. Keeps their names, not their
 * content.
 */
export function multipartReader(boundary: string): BodyReader {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const files: ReceivedFile[] = [];
  // The first delimiter has no line break before it.
  let rest: Buffer = Buffer.from('\r\n');
  let part: { name: string | undefined; bytes: number } | undefined = { name: undefined, bytes: 0 };

  /** Returns the rest of the data after one step, or undefined if more is needed. */
  function step(data: Buffer): Buffer | undefined {
    const mark = part === undefined ? HEAD_END : delimiter;
    const at = data.indexOf(mark);
    if (at === -1) {
      const kept = part === undefined ? 0 : data.length - partialLength(data, delimiter);
      if (part !== undefined) part.bytes += kept;
      // A copy: the next piece overwrites this one.
      rest = Buffer.from(data.subarray(kept));
      return undefined;
    }
    if (part === undefined) {
      part = { name: fileName(data.toString('utf8', 0, at)), bytes: 0 };
    } else {
      if (part.name !== undefined) files.push({ name: part.name, bytes: part.bytes + at });
      part = undefined;
    }
    return data.subarray(at + mark.length);
  }

  return {
    push(piece) {
      let data: Buffer | undefined = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      while (data !== undefined) data = step(data);
    },
    files: () => files,
  };
}

/** Counts a body that is a single file. */
export function plainReader(name: string): BodyReader {
  let bytes = 0;
  return {
    push(piece) {
      bytes += piece.length;
    },
    files: () => [{ name, bytes }],
  };
}

/**
 * How many bytes at the end may start a delimiter, which has one carriage return, its first byte.
 */
function partialLength(data: Buffer, delimiter: Buffer): number {
  const tail = data.subarray(Math.max(0, data.length - delimiter.length + 1));
  const at = tail.lastIndexOf(0x0d);
  if (at === -1) return 0;
  const partial = tail.subarray(at);
  return delimiter.subarray(0, partial.length).equals(partial) ? partial.length : 0;
}

function fileName(head: string): string | undefined {
  return /\bname="file"/.test(head) ? /\bfilename="([^"]*)"/.exec(head)?.[1] : undefined;
}
