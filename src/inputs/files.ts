import { quote } from '../text/visible.ts';
import { type Field, parseLines, type Refuse } from './parse.ts';
import { field } from './values.ts';

/** One line of `files` that says what to upload. */
export interface FilePattern {
  /** The pattern as written. */
  readonly pattern: string;
  /** The line's own target as written, if it names one: below that of all lines, unless absolute. With a slash at its end, a directory. */
  readonly target?: string;
}

/** What to upload: patterns in the order written, and what is excluded from every one of them. */
export interface FileRules {
  readonly patterns: readonly FilePattern[];
  readonly excludes: readonly string[];
}

const EXAMPLE = 'dist/**';

/** The lines of `files`: `pattern`, `pattern => target`, `!pattern`, a `#` comment, or empty. */
export const fileRules = rules(true);

/** Those of the lines that can be read, which may be none. */
export const readableRules = rules(false);

/** The directory in the sandbox for the lines that name none. */
export const targetDirectory = field((value, refuse) => checkTarget(value, refuse, 'app'));

function rules(strict: boolean): Field<FileRules> {
  return field<FileRules>((value, refuse) => {
    const parseLine = (line: string, number: number) => {
      if (line === '' || line.startsWith('#')) return [];
      const fail: Refuse = (why, example) => refuse(`line ${number}, ${quote(line)}, ${why}`, example);
      return [line.startsWith('!') ? { exclude: parseExclude(line, fail) } : parsePattern(line, fail)];
    };
    const lines = parseLines<FilePattern | { readonly exclude: string }>(value, parseLine, strict);
    const patterns = lines.filter(line => 'pattern' in line);
    const excludes = lines.flatMap(line => ('exclude' in line ? [line.exclude] : []));
    if (patterns.length > 0 || !strict) return { patterns, excludes };
    return refuse('is required: at least one line must say what to upload.', EXAMPLE);
  }, showRules);
}

function showRules({ patterns, excludes }: FileRules): string {
  const lines = patterns.map(({ pattern, target }) =>
    target === undefined ? JSON.stringify(pattern) : `${JSON.stringify(pattern)} => ${JSON.stringify(target)}`,
  );
  return [...lines, ...excludes.map(exclude => `except ${JSON.stringify(exclude)}`)].join('; ');
}

function parsePattern(line: string, fail: Refuse): FilePattern {
  const arrow = /^(?<pattern>.*?)(?:^|\s)=>(?:\s+(?<target>.*))?$/s.exec(line);
  if (arrow === null) return { pattern: checkPattern(line, fail) };
  const target = arrow.groups?.['target']?.trim() ?? '';
  if (target === '') return fail('names no target after =>.', `${EXAMPLE} => app`);
  if (/\s=>(\s|$)/.test(target)) return fail('has more than one =>.', `${EXAMPLE} => app`);
  return {
    pattern: checkPattern(arrow.groups?.['pattern']?.trim() ?? '', fail),
    target: checkTarget(target, fail, `${EXAMPLE} => app`),
  };
}

function parseExclude(line: string, fail: Refuse): string {
  if (/\s=>(\s|$)/.test(line)) return fail('excludes files, so it cannot have a target.', `"!${EXAMPLE}"`);
  return checkPattern(line.slice(1).trim(), fail);
}

function checkPattern(pattern: string, fail: Refuse): string {
  if (pattern === '' || pattern.startsWith('!')) return fail('has no pattern.', EXAMPLE);
  // Leading ones are where the pattern starts; further in, a wildcard may stand before them.
  const inner = pattern.replace(/^(\.{1,2}[\\/])+/, '');
  if (/(^|[\\/])\.{1,2}([\\/]|$)/.test(inner) && !/^\.{1,2}$/.test(inner))
    return fail('has a . or .. in its middle. Write the path without it.', EXAMPLE);
  const meant = pattern.replace(/[^\\/]+/g, spreadStars);
  if (meant === pattern) return pattern;
  return fail(`has a ** that is not a whole path segment, so it matches no folders. Write ${quote(meant)}.`, EXAMPLE);
}

// Quotes, a dash of a list, a comma, a colon, a blank or an arrow beside the stars.
const SLIP = /^(["'`]|-\s)\*\*|\*\*(["'`,:\s}]|[-=]>)/;

/** A part of a pattern with each `**` in it as a part of its own: of `a**.js`, `a*`, `**` and `*.js`. */
function spreadStars(part: string): string {
  // In brackets, a star is one of some characters. What is a slip of another kind, the search has a word for.
  if (part === '**' || !part.replace(/\[[^\]]+\]/g, '').includes('**') || SLIP.test(part)) return part;
  const stars = part.replace(/\*{3,}/g, '**');
  return stars.replace(/(?<=[^*])\*\*/g, '*/**').replace(/\*\*(?=[^*/])/g, '**/*');
}

function checkTarget(target: string, fail: Refuse, example: string): string {
  const given = `the target ${quote(target)}`;
  if (target.includes('\0')) return fail(`has a NUL character in ${given}.`, example);
  if (target.split('/').includes('..')) return fail(`has a .. in ${given}. Write the path without it.`, example);
  if (/\\|^[A-Za-z]:\//.test(target)) return fail(`has ${given}. Targets are POSIX paths, such as /srv/app.`, example);
  const [unexpanded] = /^~(?=\/|$)|\$HOME\b|\$[{(]|%[A-Za-z_]\w*%/.exec(target) ?? [];
  if (unexpanded === undefined) return target;
  const why = `but ${unexpanded} is not expanded. Write the path; a relative one is below the user's home.`;
  return fail(`has ${given}, ${why}`, example);
}
