import { quote, type Redact } from '../text/escape.ts';
import { MAX_OUTPUT_BYTES } from './shell.ts';
import type { Trailer } from './trailer.ts';

export type OutputPair = readonly [name: string, value: string];

/** What a script has set by $GITHUB_OUTPUT. */
export interface ScriptOutputs {
  /** The last value of each name. Pairs, since an object would lose the name `__proto__`. */
  readonly pairs: readonly OutputPair[];
  /** Why some outputs are missing, and what to do. */
  readonly problems: readonly string[];
}

/** A file that is gone is only a problem if outputs were expected. */
export function readOutputs(
  { githubOutput, size }: Pick<Trailer, 'githubOutput' | 'size'>,
  isExpected: boolean,
  redact: Redact,
): ScriptOutputs {
  if (githubOutput !== undefined) return parseOutputs(githubOutput, redact);
  if (size === undefined) return { pairs: [], problems: isExpected ? [GONE] : [] };
  return { pairs: [], problems: [size > MAX_OUTPUT_BYTES ? TOO_LARGE : INCOMPLETE] };
}

const GONE =
  'Their file was deleted or cannot be read, or the connection was lost as the script ended. Keep the file, and run the job again.';
const TOO_LARGE = 'They are larger than 1 MiB. Write large values to files, and use `download`.';
const INCOMPLETE = 'They did not arrive as a whole. Run the job again.';

const PAIR = /^([\w.-]{1,100})(=|<<(?=.))(.*)$/s;

/** Parses like GitHub's runner (FileCommandManager.cs): what precedes an invalid line counts. */
export function parseOutputs(text: string, redact: Redact): ScriptOutputs {
  const lines = text.split('\n');
  const pairs = new Map<string, OutputPair>();
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, name = '', operator, rest = ''] = PAIR.exec(line) ?? [];
    const end = operator === '<<' ? lines.indexOf(rest, at + 1) : at;
    const value = end === at ? rest : lines.slice(at + 1, end).join('\n');
    if (line !== '' && (name === '' || end === -1))
      return { pairs: [...pairs.values()], problems: [explainLine(at + 1, redact(line), name)] };
    if (line !== '') pairs.set(name.toLowerCase(), [name, redact(value)]);
    at = end;
  }
  return { pairs: [...pairs.values()], problems: [] };
}

function explainLine(number: number, line: string, name: string): string {
  const place = `Line ${number} of $GITHUB_OUTPUT`;
  return name === ''
    ? `${place} is neither NAME=value nor NAME<<END: ${quote(line)}. A name has up to 100 letters, digits, and _ - .`
    : `${place} has no end: ${quote(line)}. Write the word behind << on a line of its own.`;
}
