import type { Refuse } from './fields.ts';

export type Slips = readonly (readonly [pattern: RegExp, message: string])[];

export const UNEVALUATED: Slips[number] = [
  /\$\{\{/,
  'contains a literal `${{`, which the runner did not evaluate. Check its spelling.',
];

/** What is wrong in any input that holds a single value; the messages do not repeat it. */
export const SLIPS: Slips = [
  UNEVALUATED,
  [/^(["'`]).*\1$/s, 'is in quotation marks. Remove them.'],
  [
    /^(secrets|steps|env|vars|needs|matrix|inputs)\.[\w.-]+$/,
    'is an expression without its braces. Write it as `${{ … }}`.',
  ],
  [
    /^\$(env:\w+|\w+|\{\w+\}|\(.*\))$/s,
    'is for a shell to expand, and there is none. Use an expression, `${{ … }}`.',
  ],
];

export function refuseSlips(slips: Slips, value: string, refuse: Refuse, example: string): void {
  const slip = slips.find(([pattern]) => pattern.test(value));
  if (slip !== undefined) refuse(slip[1], example);
}

/** The home directory or variable in a path that only a shell would expand. */
export function findUnexpanded(path: string): string | undefined {
  return /^~[\w.-]*(?=\/|$)|\$HOME\b|\$[{(]|%[A-Za-z_]\w*%/.exec(path)?.[0];
}
