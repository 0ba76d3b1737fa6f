import { posix } from 'node:path';
import { quote } from '../text/escape.ts';
import { listSome } from '../text/shorten.ts';
import { inputError } from './input-error.ts';
import { rejectMistakes } from './mistakes.ts';
import { parseLines } from './parsers.ts';

export interface FilePattern {
  readonly pattern: string;
  /** As written; a trailing slash means a directory. */
  readonly target: string | undefined;
}

const EXAMPLE = 'dist/**';
const TARGET_EXAMPLE = `${EXAMPLE} => app`;
const DOWNLOAD_EXAMPLE = 'app/reports/junit.xml => reports/junit.xml';

interface FileRules {
  readonly patterns: readonly FilePattern[];
  /** Without the `!`. */
  readonly excludes: readonly string[];
}

export function fileRules(value: string): FileRules {
  const patterns: FilePattern[] = [];
  const excludes: string[] = [];
  parseLines(value, line => {
    if (line.startsWith('!')) excludes.push(parseExclude(line));
    else patterns.push(parsePattern(line));
  });
  if (patterns.length > 0) return { patterns, excludes };
  // YAML reads an unquoted !x as a tag with an empty value.
  const advice = value === '' ? ' In YAML, quote a value that begins with ! or *.' : '';
  const message = `is required: at least one line must say what to upload.${advice}`;
  throw inputError('files', message, EXAMPLE);
}

function parseExclude(line: string): string {
  const exclude = line.slice(1).trim();
  rejectMistakes('pattern', exclude, 'files', EXAMPLE);
  return exclude;
}

function parsePattern(line: string): FilePattern {
  const [pattern, target] = splitAtArrow(line, 'pattern => target', TARGET_EXAMPLE);
  rejectMistakes('pattern', pattern, 'files', EXAMPLE);
  if (target !== undefined) rejectMistakes('target', target, 'files', TARGET_EXAMPLE);
  return { pattern, target };
}

interface DownloadLine {
  /** In the sandbox. */
  readonly path: string;
  /** Relative to `working-directory`. */
  readonly target: string;
}

export function downloadLines(value: string): readonly DownloadLine[] {
  const lines = parseLines(value, parseDownloadLine);
  const required = 'is required: at least one line must say what to download.';
  if (lines.length === 0) throw inputError('files', required, DOWNLOAD_EXAMPLE);
  // Ignore case, as the file systems of macOS and Windows do.
  const keys = lines.map(({ target }) => `${target.toLowerCase()}/`);
  const groups = keys.map(key => lines.filter((_, index) => keys[index]?.startsWith(key)));
  const conflicting = groups.find(({ length }) => length > 1);
  if (conflicting === undefined) return lines;
  const list = listSome(
    conflicting.map(({ path, target }) => `${quote(path)} to ${quote(target)}`),
  );
  const message = `two targets are the same, or one is inside the other: ${list}.`;
  throw inputError('files', message, DOWNLOAD_EXAMPLE);
}

function parseDownloadLine(line: string): DownloadLine {
  const [path, given] = splitAtArrow(line, 'path => target', DOWNLOAD_EXAMPLE);
  const target = posix.join(
    given ?? '',
    given === undefined || given.endsWith('/') ? posix.basename(path) : '',
  );
  if (given !== undefined) rejectMistakes('local-target', given, 'files', DOWNLOAD_EXAMPLE);
  rejectMistakes('local-path', target, 'files', DOWNLOAD_EXAMPLE);
  return { path, target };
}

/** Splits a line at the only ` => `, or else at the only `=>`, since names may contain an arrow. */
function splitAtArrow(line: string, form: string, example: string) {
  const spaced = line.split(/(?:^|\s+)=>(?:\s+|$)/);
  const parts = spaced.length > 1 ? spaced : line.split('=>');
  const [source = '', target, ...others] = parts.map(part => part.trim());
  if (source !== '' && target !== '' && others.length === 0) return [source, target] as const;
  throw inputError('files', `${quote(line)} is not of the form ${form}.`, example);
}
