import { posix } from 'node:path';
import { quote } from '../text/escape.ts';
import { rejectMistakes } from './mistakes.ts';
import { type InputParser, parseLines, quoting, type Reject } from './parsers.ts';

export interface FilePattern {
  readonly pattern: string;
  /** As written; a trailing slash means a directory. */
  readonly target?: string;
}

export interface FileRules {
  readonly patterns: readonly FilePattern[];
  readonly excludes: readonly string[];
}

const EXAMPLE = 'dist/**';
const TARGET_EXAMPLE = `${EXAMPLE} => app`;

/** Parses `pattern`, `pattern => target`, `!pattern`, `#` comments and blank lines. */
export const fileRules: InputParser<FileRules> = (value, reject) => {
  const lines = parseLines(value, reject, parseLine);
  const patterns = lines.filter(line => 'pattern' in line);
  const excludes = lines.flatMap(line => ('exclude' in line ? [line.exclude] : []));
  if (patterns.length > 0) return { patterns, excludes };
  // YAML reads !x as a tag without a value.
  const advice = value === '' ? ' In YAML, quote a value that begins with ! or *.' : '';
  return reject(`is required: at least one line must say what to upload.${advice}`, EXAMPLE);
};

export const targetDirectory: InputParser<string> = (value, reject) =>
  parseTarget(value, reject, 'app');

function parseLine(line: string, reject: Reject): FilePattern | { readonly exclude: string } {
  const [pattern = '', target, ...others] = line.split(/(?:^|\s+)=>(?:\s+|$)/);
  const isExclude = pattern.startsWith('!');
  if (target === '' || others.length > 0 || (isExclude && target !== undefined))
    return reject(
      `${quote(line)} is not of the form pattern => target. A line with ! has no target.`,
      TARGET_EXAMPLE,
    );
  if (isExclude) {
    const exclude = pattern.slice(1).trim();
    rejectMistakes('exclude', exclude, quoting(line, reject, EXAMPLE));
    return { exclude: parsePattern(exclude, reject) };
  }
  if (target === undefined) return { pattern: parsePattern(pattern, reject) };
  return {
    pattern: parsePattern(pattern, reject),
    target: parseTarget(target, reject, TARGET_EXAMPLE),
  };
}

function parsePattern(pattern: string, reject: Reject): string {
  const rejectPattern = quoting(pattern, reject, EXAMPLE);
  if (pattern === '' || pattern.startsWith('!')) return rejectPattern('is not a pattern.');
  rejectMistakes('files', pattern, rejectPattern);
  return pattern;
}

function parseTarget(target: string, reject: Reject, example: string): string {
  rejectMistakes('target', target, message =>
    reject(`the target ${quote(target)} ${message}`, example),
  );
  return target;
}

export interface DownloadLine {
  /** In the sandbox. */
  readonly path: string;
  /** Relative to `working-directory`. */
  readonly target: string;
}

const DOWNLOAD_EXAMPLE = 'app/reports/junit.xml => reports/junit.xml';

/** Parses `path`, `path => target`, `#` comments and blank lines. */
export const downloadLines: InputParser<readonly DownloadLine[]> = (value, reject) => {
  const lines = parseLines(value, reject, parseDownloadLine);
  if (lines.length === 0)
    return reject('is required: at least one line must say what to download.', DOWNLOAD_EXAMPLE);
  // Ignore case, as the file systems of macOS and Windows do.
  const groups = Map.groupBy(lines, ({ target }) => target.toLowerCase());
  const twice = [...groups.values()].find(({ length }) => length > 1);
  if (twice === undefined) return lines;
  const paths = twice.map(({ path }) => quote(path)).join(' and ');
  return reject(`${paths} have the same target.`, DOWNLOAD_EXAMPLE);
};

function parseDownloadLine(line: string, reject: Reject): DownloadLine {
  const [path = '', given, ...others] = line.split(/(?:^|\s+)=>(?:\s+|$)/);
  // Otherwise, a mistyped arrow could pass as a missing file.
  const isMistyped = /\s[-=]>|[-=]>\s/.test(path);
  if (path === '' || given === '' || others.length > 0 || isMistyped)
    return reject(`${quote(line)} is not of the form path => target.`, DOWNLOAD_EXAMPLE);
  const rejectPath = quoting(path, reject, DOWNLOAD_EXAMPLE);
  if (/\*|\/$/.test(path)) return rejectPath('is not the path of one file. Name each file.');
  rejectMistakes('files', path, rejectPath);
  if (given !== undefined) rejectMistakes('files', given, quoting(given, reject, DOWNLOAD_EXAMPLE));
  const target = posix.normalize(given ?? posix.basename(path));
  // On Windows, \ separates folders, and a drive letter ends with a colon.
  if (!/^~?[/\\]|(^|[/\\])\.{1,2}([/\\]|$)|[/\\]$|^[a-z]:/i.test(target)) return { path, target };
  const why = 'is not the relative path of a file inside working-directory.';
  return reject(`the target ${quote(target)} ${why}`, DOWNLOAD_EXAMPLE);
}
