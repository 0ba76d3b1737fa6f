/** What the shell around the script reports behind the script's output. */
export interface ScriptEnd {
  readonly exitCode: number;
  readonly oomKills: number | undefined;
  readonly isRoot: boolean;
  /** Names like GITHUB_SHA that the script mentions, but that were unset. */
  readonly unsetVariables: readonly string[];
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
  let unread: Buffer = Buffer.alloc(0);
  const pass = (length: number) => {
    if (length > 0) handlers.onOutput(unread.subarray(0, length));
    unread = unread.subarray(length);
  };
  return {
    write: (bytes: Buffer) => {
      unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
      for (let start = unread.indexOf(mark); start !== -1; start = unread.indexOf(mark)) {
        pass(start);
        const end = unread.indexOf('\n');
        if (end === -1 && unread.length < MAX_LINE_BYTES) return;
        const line = unread.toString('utf8', mark.length, Math.max(end, 0));
        if (readLine(line, handlers)) unread = unread.subarray(end + 1);
        // The script has found the mark and prints it.
        else pass(mark.length);
      }
      // The last bytes may be the beginning of the mark.
      let held = Math.min(unread.length, mark.length - 1);
      while (held > 0 && unread.toString('latin1', unread.length - held) !== mark.slice(0, held))
        held -= 1;
      pass(unread.length - held);
    },
    /** Passes on what may have been the beginning of a mark. */
    end: () => {
      if (!unread.includes(mark)) pass(unread.length);
      unread = Buffer.alloc(0);
    },
  };
}

/** Returns false unless the shell may have printed this after the mark. */
function readLine(line: string, { onBegin, onEnd }: MarkHandlers): boolean {
  const [start, kind, first, ...fields] = line.split('\t');
  const exitCode = parseNumber(first);
  if (start !== '') return false;
  if (kind === 'begin') onBegin(parseCount(first));
  else if (kind === 'end' && exitCode !== undefined) onEnd(parseEnd(exitCode, fields));
  else return false;
  return true;
}

function parseEnd(exitCode: number, fields: readonly string[]): ScriptEnd {
  const [before, after, uid, unset = '', ...failed] = fields;
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
    file: /^(environment|bash)$/.test(file) ? '' : file,
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

export function parseNumber(text = ''): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
