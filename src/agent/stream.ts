import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { AgentError } from './failure.ts';
import { checkOpened, checkRead, EXACTLY, READ_FLAGS, systemCode } from './file.ts';

/**
 * Opens a file to be streamed by way of two buffers that nothing else uses meanwhile. Its `chunks` are as many bytes as it
 * had when it was opened; `sha256` is that of all chunks, in hexadecimal digits. @throws AgentError `file-unreadable` where
 * it is no regular file any more or is reached through a link; `file-changed` where it is being replaced.
 */
export async function openStream(path: string, buffers: readonly [Buffer, Buffer], hashed: boolean) {
  let file: FileHandle | undefined;
  try {
    file = await open(path, READ_FLAGS);
    const stats = await file.stat(EXACTLY);
    const size = checkOpened(path, stats);
    if (size === 0 && (await file.read(buffers[0], 0, 1)).bytesRead > 0)
      throw new AgentError('file-unreadable', `${path} claims to be empty but has content.`);
    const digest = createHash('sha256');
    const opened = { file, path, stats, size, onChunk: (chunk: Buffer) => void (hashed && digest.update(chunk)) };
    return {
      chunks: chunksOf(opened, buffers),
      size,
      sha256: () => digest.digest('hex'),
      close: () => opened.file.close(),
    };
  } catch (error) {
    await file?.close();
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code === 'EMFILE' || code === 'ENFILE')
      throw new AgentError('too-many-open', `${path} cannot be opened now: too many files are open (${code}).`);
    throw new AgentError('file-unreadable', `${path} cannot be read (${code}).`, { cause: error });
  }
}

interface Opened {
  readonly file: FileHandle;
  readonly path: string;
  readonly stats: BigIntStats;
  readonly size: number;
  readonly onChunk: (chunk: Buffer) => void;
}

/**
 * Exactly `size` bytes: what is appended meanwhile would break the announced length. The buffers take turns, one is filled
 * while the other is sent, which halves the time and the memory of a new buffer for each chunk. This holds because the
 * consumer asks for the next chunk only when the socket has let go of the one before: a chunk is larger than what a socket
 * takes without asking to wait.
 */
async function* chunksOf(
  { file, path, stats, size, onChunk }: Opened,
  [one, other]: readonly [Buffer, Buffer],
): AsyncGenerator<Buffer> {
  let [filling, spare] = [one, other];
  const readAhead = (position: number) => {
    const reading = fill(file, filling.subarray(0, Math.min(filling.length, size - position)), position);
    // Whoever waits for it still gets the error; nobody may, where the request has failed meanwhile.
    reading.catch(() => {});
    return reading;
  };
  let reading = readAhead(0);
  for (let sent = 0; sent < size; ) {
    const chunk = await reading;
    if (chunk.length === 0) {
      const missing = `${path} became shorter while it was sent, by ${size - sent} bytes.`;
      throw new AgentError('file-changed', missing);
    }
    sent += chunk.length;
    onChunk(chunk);
    [filling, spare] = [spare, filling];
    reading = readAhead(sent);
    // Before its last piece: an upload that is not whole cannot be taken for the file.
    if (sent === size) checkRead(path, stats, await file.stat(EXACTLY));
    yield chunk;
  }
}

/** A system may give less than was asked for; a short chunk would break what the turns of the buffers rest on. */
async function fill(file: FileHandle, buffer: Buffer, position: number): Promise<Buffer> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
