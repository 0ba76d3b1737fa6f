import type { LineSplitter } from './output.ts';
import { MAX_OUTPUT_BYTES } from './shell.ts';

/** What the shell around a script prints behind the script's output. */
export interface Trailer {
  readonly exitCode: number;
  /** How many processes the kernel killed for memory. Undefined if that could not be read. */
  readonly oomKills?: number | undefined;
  readonly failed?: FailedCommand | undefined;
  /** What the script wrote to $GITHUB_OUTPUT. Undefined unless all of it arrived. */
  readonly githubOutput?: string | undefined;
  /** The size of that in bytes. Undefined if the file is gone. */
  readonly size?: number | undefined;
}

export interface FailedCommand {
  readonly exitCode: number;
  /** The exit codes of all parts of a pipeline, or []. */
  readonly pipeline: readonly number[];
  /** Undefined before bash 5.1, where it may be off by one, and before a last `&&`. */
  readonly line: number | undefined;
  /** The sourced script that it stands in, or ''. */
  readonly file: string;
  /** Its first line, as written, so without the values of variables. */
  readonly command: string;
}

// A process in the background may print without end.
const MAX_LATE_BYTES = 1024 * 1024;

/**
 * Cuts the trailer out of the output. `exited` resolves with the script. Only the end of the stream
 * tells whether `late` output, after the trailer, is the script's or that of processes in the background.
 */
export function watchScript(mark: string, output: LineSplitter) {
  let trailer: Trailer | undefined;
  const late: Buffer[] = [];
  let room = MAX_LATE_BYTES;
  const { promise: exited, resolve } = Promise.withResolvers<void>();
  const onTrailer = (found: Trailer) => {
    trailer ??= found;
    resolve();
  };
  const onOutput = (bytes: Buffer) => {
    if (trailer === undefined) return output.write(bytes);
    if (room > 0) late.push(bytes.subarray(0, room));
    room -= bytes.length;
  };
  const cutter = trailerCutter(mark, { onOutput, onTrailer });
  const breakOff = (rest: readonly Buffer[] = []) => {
    cutter.flush();
    for (const bytes of rest) output.write(bytes);
    output.end();
  };
  return { exited, trailer: () => trailer, late, onTrailer, write: cutter.write, breakOff };
}

// Longer than a line of the shell, which stays below PIPE_BUF (4,096 bytes).
const MAX_LINE_BYTES = 8192;

/** Passes a command's output on, without the lines of the shell around the script. */
export function trailerCutter(
  mark: string,
  handlers: {
    readonly onOutput: (bytes: Buffer) => void;
    readonly onTrailer: (trailer: Trailer) => void;
  },
) {
  const start = `${mark}\t`;
  let githubOutput = '';
  let unread: Buffer = Buffer.alloc(0);
  const pass = (length: number) => {
    if (length > 0) handlers.onOutput(unread.subarray(0, length));
    unread = unread.subarray(length);
  };
  /** Returns false for a line that the shell does not print. */
  const takeLine = (line: Buffer): boolean => {
    const [kind, piece = ''] = line.toString('latin1').split(/\t(.*)/s);
    if (kind === 'out') {
      const isTooLong = githubOutput.length > MAX_OUTPUT_BYTES;
      githubOutput += isTooLong
        ? ''
        : piece.replaceAll(/\\(.)/g, (_, after) => (after === 'n' ? '\n' : after));
      return true;
    }
    const trailer = parseTrailer(line.toString(), Buffer.from(githubOutput, 'latin1'));
    if (trailer !== undefined) handlers.onTrailer(trailer);
    return trailer !== undefined;
  };
  return {
    write: (bytes: Buffer) => {
      unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
      for (let at = unread.indexOf(start); at !== -1; at = unread.indexOf(start)) {
        pass(at);
        const length = unread.indexOf('\n') + 1;
        if (length === 0 && unread.length < MAX_LINE_BYTES) return;
        // A script that has found the mark may print it, too.
        const isOurs = takeLine(unread.subarray(start.length, Math.max(length - 1, start.length)));
        if (isOurs) unread = unread.subarray(length);
        else pass(start.length);
      }
      // The last bytes may be the beginning of the line.
      pass(unread.length - lengthOfPartialMatch(unread, start));
    },
    /** Passes on what may have been the beginning of the line. */
    flush: () => pass(unread.length),
  };
}

/** Counts the bytes at the end that `start` begins with. */
function lengthOfPartialMatch(bytes: Buffer, start: string): number {
  let length = Math.min(bytes.length, start.length - 1);
  while (length > 0 && bytes.toString('latin1', bytes.length - length) !== start.slice(0, length))
    length -= 1;
  return length;
}

function parseTrailer(line: string, githubOutput: Buffer): Trailer | undefined {
  const [kind, code, killsBefore, kills, bytes, ...failed] = line.split('\t');
  const size = parseNumber(bytes);
  const exitCode = parseNumber(code);
  if (kind !== 'end' || exitCode === undefined) return undefined;
  return {
    exitCode,
    oomKills: difference(parseNumber(killsBefore), parseNumber(kills)),
    failed: parseFailed(failed),
    githubOutput: size === githubOutput.length ? githubOutput.toString() : undefined,
    size,
  };
}

function parseFailed(fields: readonly string[]): FailedCommand | undefined {
  const [codes = '', line, file = '', ...command] = fields;
  const [exitCode, ...parts] = codes.split(' ').filter(Boolean).map(Number);
  if (exitCode === undefined) return undefined;
  // Bash does not reset PIPESTATUS for [[ and ((, so it may be of an earlier pipeline.
  const isOwn = parts.findLast(code => code !== 0) === exitCode;
  const isPipeline = parts.length > 1 && isOwn;
  // After a syntax error, EXIT sees the command before it.
  const isTest = exitCode === 1 && /^(\[\[|\(\()/.test(command[0] ?? '');
  if (line === '' && !isOwn && !isTest) return undefined;
  return {
    exitCode,
    pipeline: isPipeline ? parts : [],
    line: parseNumber(line) || undefined,
    // In functions of the script itself, bash says "environment", from 5.3 on its own name.
    file: /^(environment|bash)$/.test(file) ? '' : file,
    command: command.join('\t'),
  };
}

function difference(before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined ? undefined : after - before;
}

function parseNumber(text = ''): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
