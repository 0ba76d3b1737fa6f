/** What the shell around the script reports behind the script's output. */
export interface ScriptEnd {
  readonly exitCode: number;
  /** Undefined if the kernel's count could not be read. */
  readonly oomKills: number | undefined;
  /** Names like GITHUB_SHA that the script mentions, but that were unset. */
  readonly unsetVariables: readonly string[];
  /** Undefined if bash did not name it. */
  readonly failed: FailedCommand | undefined;
}

export interface FailedCommand {
  readonly exitCode: number;
  /** The exit codes of all parts of a pipeline, or []. */
  readonly pipeline: readonly number[];
  /** Undefined before bash 5.1, where it may be off by one. */
  readonly line: number | undefined;
  /** The sourced script that it stands in, or ''. */
  readonly file: string;
  /** As written, so without values of variables; only its first line. */
  readonly command: string;
}

/** The kernel's count of processes that it killed for memory, in one cgroup. */
export interface OomCount {
  readonly kills: number | undefined;
  readonly group: string;
}

interface MarkHandlers {
  readonly onOutput: (bytes: Buffer) => void;
  readonly onBegin: (count: OomCount) => void;
  readonly onEnd: (end: ScriptEnd) => void;
}

// Longer than any line of the shell, which stays below PIPE_BUF (4,096 bytes).
const MAX_LINE_BYTES = 8192;

/**
 * Passes a command's output on, without the lines that begin with `mark`, and drops all that follows
 * the last of these lines.
 */
export function markCutter(mark: string, { onOutput, onBegin, onEnd }: MarkHandlers) {
  let unread: Buffer = Buffer.alloc(0);
  let hasEnded = false;
  const pass = (length: number) => {
    if (length > 0) onOutput(unread.subarray(0, length));
    unread = unread.subarray(length);
  };
  const readLine = (line: string) => {
    const [kind, ...fields] = line.split('\t');
    const end = kind === 'end' ? parseEnd(fields) : undefined;
    if (end !== undefined) {
      hasEnded = true;
      onEnd(end);
    } else if (kind === 'begin') onBegin(parseCount(fields[0]));
    else return false;
    return true;
  };
  return {
    write(bytes: Buffer) {
      unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
      while (!hasEnded) {
        const start = unread.indexOf(mark);
        pass(start === -1 ? unread.length - lengthOfPrefix(unread, mark) : start);
        if (start === -1) return;
        const length = unread.indexOf('\n');
        if (length === -1 && unread.length < MAX_LINE_BYTES) return;
        const line = unread.toString('utf8', mark.length + 1, Math.max(length, 0));
        if (readLine(line)) unread = unread.subarray(length + 1);
        // The script has found the mark and prints it.
        else pass(mark.length);
      }
    },
    end() {
      if (!hasEnded && !unread.includes(mark)) pass(unread.length);
    },
  };
}

/** Returns how many bytes at the end may be the beginning of the mark. */
function lengthOfPrefix(bytes: Buffer, mark: string): number {
  let length = Math.min(bytes.length, mark.length - 1);
  while (length > 0 && bytes.toString('latin1', bytes.length - length) !== mark.slice(0, length))
    length -= 1;
  return length;
}

function parseEnd(fields: readonly string[]): ScriptEnd | undefined {
  const [code = '', before, after, unset = '', codes = '', line, file = '', ...command] = fields;
  const exitCode = parseNumber(code);
  if (exitCode === undefined) return undefined;
  return {
    exitCode,
    oomKills: oomKillsBetween(parseCount(before), parseCount(after)),
    unsetVariables: unset.split(' ').filter(Boolean),
    failed: parseFailed(codes, parseNumber(line), file, command.join('\t')),
  };
}

function parseFailed(
  codes: string,
  line: number | undefined,
  file: string,
  command: string,
): FailedCommand | undefined {
  const [exitCode, ...parts] = codes.split(' ').filter(Boolean).map(Number);
  if (exitCode === undefined) return undefined;
  // Bash does not reset PIPESTATUS for [[ and ((, so it may be of an earlier pipeline.
  const isPipeline = parts.length > 1 && parts.findLast(code => code !== 0) === exitCode;
  return {
    exitCode,
    pipeline: isPipeline ? parts : [],
    line: line === 0 ? undefined : line,
    // In functions of the script itself, bash says "environment", from 5.3 on its own name.
    file: file === 'environment' || file === 'bash' ? '' : file,
    command,
  };
}

/** Returns undefined if a count could not be read, or the two are of different groups. */
export function oomKillsBetween(before: OomCount, after: OomCount): number | undefined {
  if (before.kills === undefined || after.kills === undefined) return undefined;
  return before.group === after.group ? after.kills - before.kills : undefined;
}

function parseCount(field = ''): OomCount {
  const [kills, ...group] = field.split(':');
  return { kills: parseNumber(kills), group: group.join(':') };
}

function parseNumber(text = ''): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
