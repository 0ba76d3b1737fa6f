import type { ScriptOutputs } from '../command/outputs.ts';
import { inlineCode } from '../text/escape.ts';
import { listSome } from '../text/shorten.ts';

// Later versions of the action may add outputs with these names.
const RESERVED = /^(cpu|mem|disk|oom)-/i;

/** Drops the outputs of a script whose names the action needs for its own. */
export function renderScriptOutputs(outputs: ScriptOutputs, ownNames: readonly string[]) {
  const { taken = [], free = [] } = Object.groupBy(outputs.pairs, ([name]) =>
    RESERVED.test(name) || ownNames.includes(name.toLowerCase()) ? 'taken' : 'free',
  );
  const list = (pairs: typeof free) => listSome(pairs.map(([name]) => inlineCode(name)));
  const lines = [...outputs.problems];
  if (taken.length > 0)
    lines.push(`The action has, or may get, outputs named ${list(taken)}. Choose other names.`);
  return {
    problems:
      lines.length === 0 ? [] : [{ verdict: 'not all outputs of the script are set', lines }],
    facts: free.length === 0 ? [] : [`Outputs of the script: ${list(free)}`],
    pairs: free,
  };
}
