import type { CommandResult } from '../command/run.ts';
import { type Reason, withMarkup } from './section.ts';

const BELOW_ROOT = '/(usr|etc|var|opt|root)\\b';

/** What to do if a line of the output matches, and if the user is root, or is not. */
const OUTPUT_HINTS: readonly (readonly [line: RegExp, hint: string, isRoot?: boolean])[] = [
  [
    /\\r'?: (command not found|No such file)|env: .*\\r/,
    "A script has Windows line ends. Remove them with `sed -i 's/\\r$//' FILE`, or keep them out of the repository with `* text=auto eol=lf` in .gitattributes.",
  ],
  [
    /sudo: (command )?not found/,
    'The sandbox has no `sudo`. To run commands as root, set `username: root`.',
    false,
  ],
  [
    /sudo: (command )?not found/,
    'The sandbox has no `sudo`. The command runs as root, so leave `sudo` out.',
    true,
  ],
  [
    new RegExp(`${BELOW_ROOT}.*permission denied|(EACCES|permission denied).*${BELOW_ROOT}`, 'i'),
    'Only root may write there: set `username: root`.',
    false,
  ],
  [
    /no space left on device|ENOSPC/i,
    'The disk is full, or the folder is one in memory. Use a template with a larger disk.',
  ],
  [
    /heap out of memory/,
    "Node's own limit was reached, not that of the sandbox: set `NODE_OPTIONS=--max-old-space-size=…` in `env`.",
  ],
];

// Exit codes of Bash. Above 128, they mean that a signal killed a process.
const CODE_HINTS: Readonly<Record<number, string>> = {
  126: 'A file is not executable. Uploads carry no modes, so run `chmod +x` first.',
  127: 'A program was not found. Install it in the template, or extend PATH first, which is that of a login shell: `export PATH=…:$PATH`.',
  141: 'A pipe was closed while a program still wrote into it, as in `yes | head`. To allow that, write `set +o pipefail` first.',
};

/** Returns what to do about a failed command, by what its last lines say, or else by its exit code. */
export function hintsOn(result: CommandResult, exitCode: number): Reason {
  const { lastLines, isRoot, oomKills } = result;
  const matches = OUTPUT_HINTS.filter(([line]) => lastLines.some(each => line.test(each)));
  const [, outputHint] = matches.find(([, , forRoot = isRoot]) => forRoot === isRoot) ?? [];
  const hint = (exitCode === 126 ? undefined : outputHint) ?? CODE_HINTS[exitCode];
  if (hint !== undefined) return [withMarkup(hint)];
  // A count that did not grow has answered the question, and one that grew is reported.
  if (exitCode !== SIGKILL_CODE || oomKills !== undefined) return [];
  const text =
    'Whether it was memory could not be told. Compare the peak of the memory with its size.';
  return [withMarkup(text)];
}

/** The exit code of a shell whose process SIGKILL has ended. */
export const SIGKILL_CODE = 137;
