import { quote } from '../text/escape.ts';
import { rejectMistakes } from './mistakes.ts';
import { type InputParser, parseLines, type Reject } from './parsers.ts';

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
  const [pattern = '', ...targets] = line.split(/(?:^|\s+)=>(?:\s+|$)/);
  const [target] = targets;
  if (pattern.startsWith('!')) {
    if (target === undefined) return { exclude: parseExclude(pattern.slice(1).trim(), reject) };
    return reject(`${quote(line)} excludes files, so it cannot have a target.`, `"!${EXAMPLE}"`);
  }
  if (target === undefined) return { pattern: parsePattern(pattern, reject) };
  if (target === '') return reject(`${quote(line)} has no target after =>.`, TARGET_EXAMPLE);
  if (targets.length > 1) return reject(`${quote(line)} has more than one =>.`, TARGET_EXAMPLE);
  return {
    pattern: parsePattern(pattern, reject),
    target: parseTarget(target, reject, TARGET_EXAMPLE),
  };
}

function parseExclude(pattern: string, reject: Reject): string {
  const rejectExclude: Reject = message => reject(`${quote(`!${pattern}`)} ${message}`, EXAMPLE);
  rejectMistakes('exclude', pattern, rejectExclude);
  return parsePattern(pattern, reject);
}

function parsePattern(pattern: string, reject: Reject): string {
  const rejectPattern: Reject = message => reject(`${quote(pattern)} ${message}`, EXAMPLE);
  if (pattern === '' || pattern.startsWith('!')) return rejectPattern('is not a pattern.');
  rejectMistakes('files', pattern, rejectPattern);
  // Resolving the path would drop the wildcard: `**/package.json/..` would match everything.
  if (/[*?[].*[\\/]\.\.([\\/]|$)/.test(pattern)) return rejectPattern('has a .. after a wildcard.');
  return pattern;
}

function parseTarget(target: string, reject: Reject, example: string): string {
  const rejectTarget: Reject = message => reject(`the target ${quote(target)} ${message}`, example);
  rejectMistakes('target', target, rejectTarget);
  if (target.split('/').includes('..'))
    return rejectTarget('has a .. in it. Write the path without it.');
  if (/[\\*\n]|^[a-z][a-z\d+.-]*:\//i.test(target))
    return rejectTarget('is not a plain POSIX path, such as /srv/app.');
  return target;
}
