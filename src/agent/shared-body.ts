import { BUFFER_BYTES } from './body.ts';
import { type Form, survives } from './form.ts';
import { readSmallFile } from './small-file.ts';
import { isUnreadable } from './system-error.ts';

/** A request body that holds several files. */
export interface SharedBody<F> {
  readonly body: Buffer;
  /** The files in it, in order. */
  readonly parts: readonly Part<F>[];
}

/** One file of a body. */
export interface Part<F> {
  readonly file: F;
  /** The file's content, where it lies in the body. */
  readonly content: Buffer;
}

interface SourceFile {
  readonly realPath: string;
  readonly target: string;
  readonly size: number;
}

/** The size of a shared body at most, in bytes. */
export const SHARED_BYTES = 1024 * 1024;

// A form's boundary and the fixed words of a part's header take less.
const FRAME_BYTES = 256;

/** The bytes that a file takes in a shared body at most, or undefined where its size or its name keeps it from sharing one. */
export function sharedBytes({ target, size }: SourceFile): number | undefined {
  return size <= BUFFER_BYTES && survives(target) ? FRAME_BYTES + target.length + size : undefined;
}

/**
 * Puts files into one body under a form, as they are now. Those that do not fit any more or cannot be read are left out:
 * sent alone, each says what is wrong with it.
 */
export function shareBody<F extends SourceFile>(
  files: readonly F[],
  form: Form,
  buffer: Buffer,
): SharedBody<F> {
  const parts: Part<F>[] = [];
  let end = 0;
  for (const file of files) {
    const head = parts.length === 0 ? form.head(file.target) : form.next(file.target);
    const offset = end + head.length;
    const size = read(file.realPath, buffer, { offset, room: buffer.length - offset - form.tail.length });
    if (size === undefined) continue;
    head.copy(buffer, end);
    end = offset + size;
    parts.push({ file, content: buffer.subarray(offset, end) });
  }
  form.tail.copy(buffer, end);
  return { body: buffer.subarray(0, end + form.tail.length), parts };
}

function read(path: string, buffer: Buffer, place: Parameters<typeof readSmallFile>[2]): number | undefined {
  try {
    return readSmallFile(path, buffer, place);
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}
