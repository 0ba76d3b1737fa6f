import { quote } from '../text/visible.ts';
import { field, type Refuse, secret } from './fields.ts';
import { isHeaderValue } from './headers.ts';
import { refuseSlips, SLIPS, type Slips } from './slips.ts';

const API_KEY: Slips[number] = [
  /^(sk_)?e2b_/i,
  "is an API key. Give the sandbox's access token, which the API returns when it creates the sandbox.",
];

const ID_SLIPS: Slips = [
  ...SLIPS,
  [API_KEY[0], 'is an API key. Give the ID that the API returns when it creates the sandbox.'],
  [/^\{/, 'is the JSON of an answer. Give only the ID in it.'],
];

export const sandboxId = field((value, refuse) => {
  const example = '${{ steps.sandbox.outputs.id }}';
  refuseSlips(ID_SLIPS, value, refuse, example);
  const id = requireHeaderValue(value, refuse, { output: 'id', example, isSecret: false });
  if (/^[a-z]+:\/\//i.test(id)) return refuse(`${quote(id)} is a URL. Give only the ID.`, example);
  // IDs have been seen with dashes and underscores, but not with dots.
  if (/^[\w-]+(\.[\w-]+)+\.[a-z]{2,}(:\d+)?$/i.test(id))
    return refuse(`${quote(id)} is a host name. Give only the ID.`, example);
  return id;
});

const TOKEN_SLIPS: Slips = [
  ...SLIPS,
  [/^Bearer\s/i, 'begins with Bearer. Give the token alone.'],
  [/^X-Access-Token:/i, 'begins with the name of the header. Give the token alone.'],
  [/^\{/, 'is the JSON of an answer. Give only the token in it.'],
  [/^\*+$/, 'was copied from a log, where secrets are masked. Take it from the step that has it.'],
  [/^(gh[a-z]_|github_pat_)/, "is GitHub's token. Give the sandbox's access token."],
  API_KEY,
];

export const token = secret((value, refuse) => {
  const example = '${{ steps.sandbox.outputs.token }}';
  refuseSlips(TOKEN_SLIPS, value, refuse, example);
  return requireHeaderValue(value, refuse, { output: 'token', example, isSecret: true });
});

/** Refuses what an earlier step did not write as `output`, or what no header can carry. */
function requireHeaderValue(
  value: string,
  refuse: Refuse,
  { output, example, isSecret }: { output: string; example: string; isSecret: boolean },
): string {
  if (isMissing(value)) {
    const check = `check the id of the step that it comes from, and that the step writes ${output}=… to GITHUB_OUTPUT`;
    const masked = isSecret ? '; GitHub drops masked outputs between jobs' : '';
    return refuse(
      `is ${value || 'empty'}: ${check}${masked}; workflows of forks get no secrets.`,
      example,
    );
  }
  if (isHeaderValue(value)) return value;
  const given = isSecret ? 'the value given' : quote(value);
  return refuse(
    `${given} cannot be sent in a header: it has a line break or another character outside Latin-1.`,
    example,
  );
}

/** Whether a value comes from a step that had none: `jq -r` prints `null`. */
export function isMissing(value: string): boolean {
  return ['', 'null', 'undefined'].includes(value);
}
