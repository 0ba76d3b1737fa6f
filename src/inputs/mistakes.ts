import type { Reject } from './parsers.ts';

interface CommonMistake {
  readonly inputs: readonly string[];
  readonly pattern: RegExp;
  /** Follows the input's name or its quoted value, as in `"https://x.io" is a URL…`. */
  readonly message: string;
}

const VALUES = ['sandbox-id', 'token', 'api-key', 'base-url', 'api-url'];
const PATHS = ['files', 'target'];

const SEPARATES_NOTHING =
  'has a comma or a space, which separates nothing. Write each pattern on its own line.';

// As an input, `files` stands for each pattern, `exclude` for each `!` line, `unmatched` for each
// pattern that matches nothing, and `target` also for the targets in `files`.
const MISTAKES: readonly CommonMistake[] = [
  {
    inputs: ['sandbox-id', 'token', 'api-key'],
    pattern: /^(null|undefined)?$/,
    message:
      'is empty or null. Check the name of the secret or variable that it comes from, or the `id` of the step and the name of its output. GitHub passes no masked outputs to other jobs, and no secrets to workflows of forks and Dependabot.',
  },
  {
    inputs: ['token'],
    pattern: /^(sk_)?e2b_/i,
    message:
      "is an API key. Give the sandbox's access token, which the API returns when it creates the sandbox.",
  },
  {
    inputs: [...VALUES, ...PATHS],
    pattern: /\$\{\{/,
    message: 'contains a literal `${{`, which the runner did not evaluate. Check its spelling.',
  },
  {
    inputs: [...VALUES, ...PATHS],
    pattern: /^(["'`]).*\1$/s,
    message: 'is in quotation marks. Remove them.',
  },
  {
    inputs: ['target'],
    pattern: /^(home\/|~|\$HOME\b|\$\{HOME\})/,
    message:
      "starts below the user's home already. Write the path from there, or a full one such as /home/user/app.",
  },
  {
    inputs: [...VALUES, ...PATHS],
    // Do not match $lib/a.ts or $slug.tsx: SvelteKit and Remix use such names.
    pattern:
      /^\$([A-Z_][A-Z\d_]*|env:\w+|\{\w+\}|\(.*\))(?=[\\/]|$)|^https?:.*\$(\{?[A-Z_]{2}|env:)/s,
    message:
      'contains a variable of a shell, which is not expanded. Use an expression, such as `${{ env.NAME }}`.',
  },
  {
    inputs: ['target'],
    pattern: /\$\{?[A-Z_]{2}|\{\{.*\}\}/,
    message:
      'contains a variable that is not expanded. Use an expression, such as `${{ github.sha }}`.',
  },
  {
    inputs: ['token'],
    pattern: /[ \t{}]/,
    message:
      'has a space or a brace, which no token has. Give the token alone, without Bearer, or the secret as `${{ secrets.NAME }}`.',
  },
  {
    inputs: ['sandbox-id'],
    // IDs may contain dots too, but no known ID ends like a host name.
    pattern: /^[a-z]+:\/\/|^[\w-]+(\.[\w-]+)+\.[a-z]{2,}(:\d+)?$/i,
    message: 'is a URL or a host name. Give only the ID.',
  },
  {
    inputs: ['target'],
    pattern: /(^|\/)\.\.(\/|$)|[\\*\n]|^[a-z][a-z\d+.-]*:\//i,
    message: 'is not a plain POSIX path without .., such as /srv/app.',
  },
  {
    inputs: ['files'],
    // `**` before a space or a comma is reported if the pattern matches nothing; see below.
    pattern: /[^\\/]\*\*|\*\*[^\\/\s,]/,
    message:
      'has a ** beside other characters, so it matches no folders. Write it alone between slashes, such as src/**/*.js; in front of a target, write => with a space on each side.',
  },
  {
    inputs: ['files'],
    // Resolving the path would drop the wildcard: `**/package.json/..` would match everything.
    pattern: /[*?[].*[\\/]\.\.([\\/]|$)/,
    message: 'has a .. after a wildcard.',
  },
  // File names may contain these characters, so only reject a pattern if it matches nothing. A
  // useless exclude would go unnoticed.
  {
    inputs: ['exclude', 'unmatched'],
    pattern: /\{[^{}]*,[^{}]*\}|[+@?!]\(/,
    message:
      'has braces or parentheses, which have no meaning in patterns. Write a line for each name.',
  },
  {
    inputs: ['exclude', 'target', 'unmatched'],
    pattern: /\s#/,
    message: 'has a # in it. Write each comment on a line of its own.',
  },
  {
    inputs: ['unmatched'],
    // Does not match C:/x or a URL.
    pattern: /[-=]>|^[^:]{2,}:(?!\/\/)\S/,
    message:
      'has a ->, => or colon in it. In front of a target, write => with a space on each side.',
  },
  { inputs: ['exclude'], pattern: /,[\s!]/, message: SEPARATES_NOTHING },
  { inputs: ['unmatched'], pattern: /,|\*\s|^-\s/, message: SEPARATES_NOTHING },
];

export function rejectMistakes(input: string, value: string, reject: Reject): void {
  const message = findMistake(input, value);
  if (message !== undefined) reject(message);
}

/** Returns the message of the first mistake in a value, without the value. */
export function findMistake(input: string, value: string): string | undefined {
  return MISTAKES.find(({ inputs, pattern }) => inputs.includes(input) && pattern.test(value))
    ?.message;
}
