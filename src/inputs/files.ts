import { findInvisible, quote } from '../text/visible.ts';
import { field, parseLines, type Refuse } from './fields.ts';
import { findUnexpanded, refuseSlips, type Slips, UNEVALUATED } from './slips.ts';

/** One line of `files` that says what to upload. */
export interface FilePattern {
  /** The pattern as written. */
  readonly pattern: string;
  /** The line's own target as written; with a slash at its end, a directory. */
  readonly target?: string;
}

/** What to upload: patterns in the order written, and what is excluded from all of them. */
export interface FileRules {
  readonly patterns: readonly FilePattern[];
  readonly excludes: readonly string[];
}

const EXAMPLE = 'dist/**';

/** The lines of `files`: `pattern`, `pattern => target`, `!pattern`, a `#` comment, or empty. */
export const fileRules = field<FileRules>((value, refuse) => {
  const lines = parseLines(value, (line, number): (FilePattern | { exclude: string })[] => {
    if (line === '' || line.startsWith('#')) return [];
    const fail: Refuse = (why, example) =>
      refuse(`line ${number}, ${quote(line)}, ${why}`, example);
    return [
      line.startsWith('!') ? { exclude: parseExclude(line, fail) } : parsePattern(line, fail),
    ];
  });
  const patterns = lines.filter(line => 'pattern' in line);
  const excludes = lines.flatMap(line => ('exclude' in line ? [line.exclude] : []));
  if (patterns.length > 0) return { patterns, excludes };
  return refuse('is required: at least one line must say what to upload.', EXAMPLE);
}, showRules);

export const targetDirectory = field((value, refuse) => checkTarget(value, refuse, 'app'));

function showRules({ patterns, excludes }: FileRules): string {
  const lines = patterns.map(({ pattern, target }) =>
    target === undefined
      ? JSON.stringify(pattern)
      : `${JSON.stringify(pattern)} => ${JSON.stringify(target)}`,
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
  if (/\s=>(\s|$)/.test(line))
    return fail('excludes files, so it cannot have a target.', `"!${EXAMPLE}"`);
  return checkPattern(line.slice(1).trim(), fail);
}

const NO_PATTERNS: Slips = [
  UNEVALUATED,
  [/^[a-z][a-z\d+.-]*:\/\//i, 'is a URL. Download it in an earlier step, and write the path.'],
  [/^\[\s*["'].*["']\s*\]$/, 'is a list. Write each pattern on its own line, without brackets.'],
];

function checkPattern(pattern: string, fail: Refuse): string {
  if (pattern === '' || pattern.startsWith('!')) return fail('has no pattern.', EXAMPLE);
  refuseSlips(NO_PATTERNS, pattern, fail, EXAMPLE);
  const [variable] =
    /^(?:\$(?:\{[A-Z_]+\}|[A-Z_]+|\([^)]*\)|env:\w+)|%[A-Z_]+%)(?=[\\/]|$)/.exec(pattern) ?? [];
  if (variable !== undefined)
    return fail(
      `has the variable ${variable}, which is not expanded. Relative patterns start at the workspace.`,
      EXAMPLE,
    );
  // At its start, .. is fine; further in, a wildcard may stand before it.
  const inner = pattern.replace(/^(\.{1,2}[\\/])+/, '');
  if (/(^|[\\/])\.{1,2}([\\/]|$)/.test(inner) && !/^\.{1,2}$/.test(inner))
    return fail('has a . or .. in its middle. Write the path without it.', EXAMPLE);
  const meant = pattern.replace(/[^\\/]+/g, spreadStars);
  if (meant !== pattern)
    return fail(
      `has a ** that is not a whole path segment, so it matches no folders. Write ${quote(meant)}.`,
      EXAMPLE,
    );
  const fewer = pattern.replace(/[^\\/]+/g, withFewerStars);
  if (fewer === pattern) return pattern;
  return fail(`has more than three * in one name. Write ${quote(fewer)}.`, EXAMPLE);
}

// With four, a name of 240 characters can take the matcher seconds; with three, 32 ms.
const MAX_STARS = 3;

/** Replaces too many stars, and what is between them, by one. */
function withFewerStars(part: string): string {
  // In brackets, a star is a character.
  const stars = part.replace(/\[[^\]]+\]/g, '').split('*').length - 1;
  return stars > MAX_STARS ? part.replace(/\*(?!\]).*\*(?!\])/, '*') : part;
}

// Beside these, `**` is another slip, which `explainNoMatch` explains.
const SLIP = /^(["'`]|-\s)\*\*|\*\*(["'`,:;|\s}]|[-=]>)/;

/** Makes each `**` in a segment a segment of its own: `a**.js` becomes `a*`, `**` and `*.js`. */
function spreadStars(segment: string): string {
  const withoutSets = segment.replace(/\[[^\]]+\]/g, '');
  if (segment === '**' || !withoutSets.includes('**') || SLIP.test(segment)) return segment;
  const stars = segment.replace(/\*{3,}/g, '**');
  return stars.replace(/(?<=[^*])\*\*/g, '*/**').replace(/\*\*(?=[^*/])/g, '**/*');
}

const NO_TARGETS: Slips = [
  [/^(["'`]).*\1$/, 'in quotation marks. Remove them.'],
  [/^[a-z][a-z\d+.-]*:\/\//i, 'which is a URL. Write the path in the sandbox.'],
  [/^[\w.-]+@[\w.-]+:/, 'with a host. Write only the path in the sandbox.'],
  [/\*/, 'with a *, which only patterns may have. Write the folder that the files go to.'],
];

function checkTarget(target: string, fail: Refuse, example: string): string {
  const given = `the target ${quote(target)}`;
  const invisible = findInvisible(target);
  if (invisible !== undefined)
    return fail(`has the invisible character ${invisible} in ${given}.`, example);
  if (target.split('/').includes('..'))
    return fail(`has a .. in ${given}. Write the path without it.`, example);
  if (/\\|^[A-Za-z]:\//.test(target))
    return fail(`has ${given}. Targets are POSIX paths, such as /srv/app.`, example);
  refuseSlips(NO_TARGETS, target, (slip, shown) => fail(`has ${given}, ${slip}`, shown), example);
  const unexpanded = findUnexpanded(target);
  if (unexpanded === undefined) return target;
  const why = `but ${unexpanded} is not expanded. Write the path; a relative one is below the user's home.`;
  return fail(`has ${given}, ${why}`, example);
}
