import path from 'node:path';
import { quote } from '../text/escape.ts';
import { inputError } from './input-error.ts';
import type { InputParser } from './parsers.ts';

/** The message follows the quoted value, or the input's name if the value is secret or empty. */
type Mistake = readonly [pattern: RegExp, message: string];

const EMPTY: Mistake = [
  /^(null|undefined)?$/,
  'is empty or null. Check the name of the secret or variable that it comes from, or the `id` of the step and the name of its output. GitHub passes no masked outputs to other jobs, and no secrets to workflows of forks and Dependabot.',
];

const QUOTED: Mistake = [/^(["'`]).*\1$/s, 'is in quotation marks. Remove them.'];

// $lib/a.ts and $slug.tsx must not match, since SvelteKit and Remix use such names.
const VARIABLE: Mistake = [
  /\$([A-Z_]{2}|env:|[{(])|\{\{.*\}\}/,
  'contains a variable that is not expanded here. Use an expression, such as `${{ env.NAME }}`.',
];

// Catches remains of expressions, quotation marks and `Bearer`, and what a header cannot carry.
const NOT_IN_A_SECRET: Mistake = [
  /^(["'`$]|secrets\.)|[^!-~]|[{}]/,
  'begins with a quotation mark, $ or secrets., or has a space, a brace or another character that it cannot have. Give it alone, or as `${{ secrets.NAME }}`.',
];

const COMMENT: Mistake = [/\s#/, 'has a # in it. Write each comment on a line of its own.'];

// A file would silently land in a folder of this name, so refuse it, although names may contain it.
const TARGET_MISTAKES: readonly Mistake[] = [QUOTED, VARIABLE, [/\s#\s/, COMMENT[1]]];

const PATTERN_MISTAKES: readonly Mistake[] = [
  [/^(!|$)/, 'is not a pattern. After a !, write what to exclude.'],
  [
    // Leave `**` before a space, a comma or a colon to `unmatched-pattern`, whose message fits better.
    /[^\\/"'`]\*\*|\*\*[^\\/\s,:"'`]/,
    'has a ** beside other characters, so it matches no folders. Write it alone between slashes, such as src/**/*.js.',
  ],
  // Resolving the path would drop the wildcard: `**/package.json/..` would match everything.
  [/[*?[].*[\\/]\.\.([\\/]|$)/, 'has a .. after a wildcard.'],
];

// File names may contain all of these, so they only count once nothing has matched.
const UNMATCHED_MISTAKES: readonly Mistake[] = [
  [
    // On Windows, a backslash separates folders, so use /(?!)/, which never matches.
    path.sep === '/' ? /\\/ : /(?!)/,
    'has a backslash, which does not separate folders here. Write a slash.',
  ],
  QUOTED,
  // Only at the start, since excludes may name $RECYCLE.BIN or {{cookiecutter.name}}.
  [/^\$([A-Z_]+|env:\w+|\{\w+\}|\(.*\))(?=[\\/]|$)|\$\{\{/, VARIABLE[1]],
  COMMENT,
  // Allow the colons of C:/x and of URLs.
  [
    /[-=]>|^[^:]{2,}:(?!\/\/)\S/,
    'has an arrow or a colon in it. In front of a target, write =>; a ! line has none.',
  ],
  [
    /\{[^{}]*,[^{}]*\}|[+@?!]\(/,
    'has braces or parentheses, which have no meaning here. Write a line for each name.',
  ],
  [/^-\s/, 'begins with a dash. Below |, write each name on its own line, without a dash.'],
  [/,|\*\s/, 'has a comma or a space, which separates nothing. Write each name on its own line.'],
];

/** Maps each kind of value to the mistakes to look for, in this order. */
const MISTAKES = {
  'sandbox-id': [
    EMPTY,
    // Other characters could change the host or path of `base-url`.
    [/[^\w.-]|^\W*$|.{201}/s, 'is not an ID: it may have letters, digits, dots, - and _.'],
  ],
  token: [
    EMPTY,
    // It would be sent to the sandbox.
    [
      /^(sk_)?e2b_/i,
      "is an API key. Give the sandbox's access token, which the API returns when it creates the sandbox.",
    ],
    NOT_IN_A_SECRET,
    // Masking a shorter one, such as "e2b", would garble the log.
    [/^.{1,7}$/, 'is too short: an access token has at least eight characters.'],
  ],
  'api-key': [EMPTY, NOT_IN_A_SECRET],
  'header-prefix': [
    // A header's name is a token (RFC 9110, section 5.6.2).
    [/[^!#$%&'*+\-.^_`|~\dA-Za-z]|^$/, "cannot be part of a header's name."],
    [/-$|-Sandbox\b/i, 'is more than the prefix: -Sandbox-Id and -Sandbox-Port are added to it.'],
  ],
  script: [[/^$/, 'is required: the commands to run.']],
  'base-url': [
    [/^$/, 'is not set, or its expression is empty. With sandbox-id and token, it is needed.'],
    EMPTY,
  ],
  'api-url': [EMPTY],
  // Without a leading slash, the path would become part of the host.
  'url-path': [[/^(?!\/)|[\s?#]/, 'is not a plain URL path that begins with a slash.']],
  'unix-time': [[/\D/, 'is not a Unix time in whole seconds.']],
  condition: [
    QUOTED,
    COMMENT,
    [/\d,\d/, 'has a comma in its number. Write a point.'],
    [/^-?[\d.]+\s*\S*\s*[<>=!]/, 'begins with the number. Write the metric first.'],
    [/^(cpu|mem|disk)-(used|free)(-pct|-mib)?[ .<>=!]/, 'has hyphens in place of underscores.'],
    [/^(mem|disk)_(used|free)(_mib)?\b.*%$/, 'is in bytes. Judge mem_used_pct or disk_used_pct.'],
  ],
  pattern: PATTERN_MISTAKES,
  'unmatched-exclude': UNMATCHED_MISTAKES,
  'unmatched-pattern': [
    ...UNMATCHED_MISTAKES,
    [
      /(?<!\[)\[(?![[*?]\])/,
      'has a [, which begins a set of characters. If a name has a [, write [[], as in pages/[[]id].tsx.',
    ],
  ],
  'missing-file': [
    [/\*|\/$/, 'is not the path of one file. Name each file.'],
    ...UNMATCHED_MISTAKES,
  ],
  target: [
    [
      /^(home\/|~[^/]|\$HOME\b|\$\{HOME\})/,
      "starts below the user's home already. Write the path from there, or a full one such as /home/user/app.",
    ],
    ...TARGET_MISTAKES,
    [
      /(^|\/)\.\.(\/|$)|[\\*\n]|^[a-z][a-z\d+.-]*:\//i,
      'is not a plain POSIX path without .., such as /srv/app.',
    ],
  ],
  'local-target': TARGET_MISTAKES,
  'local-path': [
    // Reject \ and drive letters on every system: on Windows, they would lead elsewhere.
    [
      /^~?[/\\]|(^|[/\\])\.{1,2}([/\\]|$)|[/\\]$|^[a-z]:/i,
      'is not the relative path of a file inside working-directory.',
    ],
  ],
} as const satisfies Readonly<Record<string, readonly Mistake[]>>;

type ValueKind = keyof typeof MISTAKES;

/** The log masks the values of these inputs, and messages never quote them. */
export const SECRET_INPUTS: readonly string[] = ['token', 'signature', 'api-key'];

export function findMistake(kind: ValueKind, value: string): string | undefined {
  return MISTAKES[kind].find(([pattern]) => pattern.test(value))?.[1];
}

/** @throws InputError if the value has a mistake of its kind */
export function rejectMistakes(
  kind: ValueKind,
  value: string,
  input: string,
  example: string,
): void {
  const mistake = findMistake(kind, value);
  if (mistake === undefined) return;
  const name = value === '' || SECRET_INPUTS.includes(input) ? '' : `${quote(value)} `;
  throw inputError(input, name + mistake, example);
}

/** Returns a parser that rejects mistakes of a kind and replaces an empty value with `fallback`. */
export function textInput(kind: ValueKind, example: string, fallback = ''): InputParser<string> {
  return (value, input) => {
    const text = value || fallback;
    rejectMistakes(kind, text, input, example);
    return text;
  };
}
