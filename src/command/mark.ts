/** What the shell around the script reports behind the script's output. */
export interface ScriptEnd {
  readonly exitCode: number;
  /** Undefined if the kernel's count could not be read. */
  readonly oomKills: number | undefined;
  readonly isRoot: boolean;
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

export interface MarkHandlers {
  readonly onOutput: (bytes: Buffer) => void;
  readonly onBegin: (count: OomCount) => void;
  readonly onEnd: (end: ScriptEnd) => void;
}

// Longer than any line of the shell, which stays below PIPE_BUF (4,096 bytes).
const MAX_LINE_BYTES = 8192;

/** Passes a command's output on, without the lines of the shell, which begin with `mark`. */
export function markCutter(mark: string, handlers: MarkHandlers) {
  const { onOutput } = handlers;
  let unread: Buffer = Buffer.alloc(0);
  const pass = (length: number) => {
    if (length > 0) onOutput(unread.subarray(0, length));
    unread = unread.subarray(length);
  };
  return {
    write: (bytes: Buffer) => {
      unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
      for (let start = unread.indexOf(mark); start !== -1; start = unread.indexOf(mark)) {
        pass(start);
        const end = unread.indexOf('\n');
        if (end === -1 && unread.length < MAX_LINE_BYTES) return;
        const isOfShell = readLine(
          unread.toString('utf8', mark.length, Math.max(end, 0)),
          handlers,
        );
        if (isOfShell) unread = unread.subarray(end + 1);
        // The script has found the mark and prints it.
        else pass(mark.length);
      }
      pass(unread.length - lengthOfPrefix(unread, mark));
    },
    /** Passes on what may have been the beginning of a mark. */
    end: () => {
      if (!unread.includes(mark)) pass(unread.length);
      unread = Buffer.alloc(0);
    },
  };
}

/** Returns false unless the shell may have printed what follows the mark in a line. */
function readLine(line: string, { onBegin, onEnd }: MarkHandlers): boolean {
  const [start, kind, ...fields] = line.split('\t');
  if (start !== '') return false;
  if (kind === 'begin') onBegin(parseCount(fields[0]));
  const end = kind === 'end' ? parseEnd(fields) : undefined;
  if (end !== undefined) onEnd(end);
  return kind === 'begin' || end !== undefined;
}

/** Returns how many bytes at the end may be the beginning of the mark. */
function lengthOfPrefix(bytes: Buffer, mark: string): number {
  let length = Math.min(bytes.length, mark.length - 1);
  while (length > 0 && bytes.toString('latin1', bytes.length - length) !== mark.slice(0, length))
    length -= 1;
  return length;
}

function parseEnd(fields: readonly string[]): ScriptEnd | undefined {
  const [code = '', before, after, uid, unset = '', ...failed] = fields;
  const exitCode = parseNumber(code);
  if (exitCode === undefined) return undefined;
  return {
    exitCode,
    oomKills: oomKillsBetween(parseCount(before), parseCount(after)),
    isRoot: uid === '0',
    unsetVariables: unset.split(' ').filter(Boolean),
    failed: parseFailed(failed),
  };
}

function parseFailed(fields: readonly string[]): FailedCommand | undefined {
  const [codes = '', line, file = '', ...command] = fields;
  const [exitCode, ...parts] = codes.split(' ').filter(Boolean).map(Number);
  if (exitCode === undefined) return undefined;
  // Bash does not reset PIPESTATUS for [[ and ((, so it may be of an earlier pipeline.
  const isPipeline = parts.length > 1 && parts.findLast(code => code !== 0) === exitCode;
  return {
    exitCode,
    pipeline: isPipeline ? parts : [],
    line: parseNumber(line) || undefined,
    // In functions of the script itself, bash says "environment", from 5.3 on its own name.
    file: file === 'environment' || file === 'bash' ? '' : file,
    command: command.join('\t'),
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
