import type { CommandResult } from '../command/command.ts';
import { type Reason, withMarkup } from './section.ts';

interface Hint {
  /** What a line of the output must match. */
  readonly pattern: RegExp;
  readonly hint: string;
  readonly isRoot?: boolean;
}

const OUTPUT_HINTS: readonly Hint[] = [
  {
    pattern: /\\r'?: (command not found|No such file)|env: .*\\r/,
    hint: "A script has Windows line ends. Remove them with `sed -i 's/\\r$//' FILE`, or keep them out of the repository with `* text=auto eol=lf` in .gitattributes.",
  },
  {
    pattern: /sudo: (command )?not found/,
    isRoot: false,
    hint: 'The sandbox has no `sudo`. To run commands as root, set `username: root`.',
  },
  {
    pattern: /sudo: (command )?not found/,
    isRoot: true,
    hint: 'The sandbox has no `sudo`. The command runs as root, so leave `sudo` out.',
  },
  {
    pattern:
      /\/(usr|etc|var|opt|root)\b.*permission denied|(EACCES|permission denied).*\/(usr|etc|var|opt|root)\b/i,
    isRoot: false,
    hint: 'Only root may write there: set `username: root`.',
  },
  {
    pattern: /no space left on device|ENOSPC/i,
    hint: 'The disk is full, or the folder is one in memory. Use a template with a larger disk.',
  },
  {
    pattern: /heap out of memory/,
    hint: "Node's own limit was reached, not that of the sandbox: set `NODE_OPTIONS=--max-old-space-size=…` in `env`.",
  },
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
  const found = OUTPUT_HINTS.find(
    each => (each.isRoot ?? isRoot) === isRoot && lastLines.some(line => each.pattern.test(line)),
  );
  const isExecutable = exitCode !== 126;
  const hint = (isExecutable ? found?.hint : undefined) ?? CODE_HINTS[exitCode];
  if (hint !== undefined) return [withMarkup(hint)];
  // A count that did not grow has answered the question, and one that grew is reported.
  if (exitCode !== SIGKILL_CODE || oomKills !== undefined) return [];
  const text =
    'Whether it was memory could not be told. Compare the peak of the memory with its size.';
  return [withMarkup(text)];
}

/** The exit code of a shell whose process SIGKILL has ended. */
export const SIGKILL_CODE = 137;
