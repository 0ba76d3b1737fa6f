import { posix } from 'node:path';
import { BYTES } from '../gate/conditions.ts';
import { quote } from '../text/escape.ts';
import { rejectMistakes } from './mistakes.ts';
import { type InputParser, parseLines, quoting, type Reject } from './parsers.ts';

export interface DownloadLine {
  /** In the sandbox. */
  readonly path: string;
  /** Relative to `working-directory`. */
  readonly target: string;
}

const EXAMPLE = 'app/reports/junit.xml => reports/junit.xml';

/** Parses `path`, `path => target`, `#` comments and blank lines. */
export const downloadLines: InputParser<readonly DownloadLine[]> = (value, reject) => {
  const lines = parseLines(value, reject, parseLine);
  if (lines.length === 0)
    return reject('is required: at least one line must say what to download.', EXAMPLE);
  // Ignore case, as the file systems of macOS and Windows do.
  const groups = Map.groupBy(lines, ({ target }) => target.toLowerCase());
  const twice = [...groups.values()].find(({ length }) => length > 1);
  if (twice === undefined) return lines;
  const paths = twice.map(({ path }) => quote(path)).join(' and ');
  return reject(`${paths} have the same target.`, EXAMPLE);
};

function parseLine(line: string, reject: Reject): DownloadLine {
  const [path = '', given, ...others] = line.split(/(?:^|\s+)=>(?:\s+|$)/);
  // Otherwise, a mistyped arrow could pass as a missing file.
  const isMistyped = /\s[-=]>|[-=]>\s/.test(path);
  if (path === '' || given === '' || others.length > 0 || isMistyped)
    return reject(`${quote(line)} is not of the form path => target.`, EXAMPLE);
  const rejectPath = quoting(path, reject, EXAMPLE);
  if (/\*|\/$/.test(path)) return rejectPath('is not the path of one file. Name each file.');
  rejectMistakes('files', path, rejectPath);
  if (given !== undefined) rejectMistakes('files', given, quoting(given, reject, EXAMPLE));
  const target = posix.normalize(given ?? posix.basename(path));
  // On Windows, \ separates folders, and a drive letter ends with a colon.
  if (!/^~?[/\\]|(^|[/\\])\.{1,2}([/\\]|$)|[/\\]$|^[a-z]:/i.test(target)) return { path, target };
  const why = 'is not the relative path of a file inside working-directory.';
  return reject(`the target ${quote(target)} ${why}`, EXAMPLE);
}

/** Parses bytes, or a number with a unit such as `512MiB`. */
export function byteSize(fallback: string): InputParser<number> {
  return (value, reject) => {
    const [, number, unit = ''] =
      /^(\d{1,15}(?:\.\d{1,3})?)\s*(\w*)$/.exec(value || fallback) ?? [];
    const isUnit = ([name]: readonly [string, number]) => name.toLowerCase() === unit.toLowerCase();
    const [, factor = unit === '' ? 1 : Number.NaN] = Object.entries(BYTES).find(isUnit) ?? [];
    const bytes = Math.round(Number(number) * factor);
    if (bytes >= 1) return bytes;
    const units = Object.keys(BYTES).join(', ');
    return reject(
      `${quote(value)} is not a size: write bytes, or a number with ${units}.`,
      fallback,
    );
  };
}
