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
  const names = listSome(taken.map(([name]) => inlineCode(name)));
  const lines = [...outputs.problems];
  if (names !== '')
    lines.push(`The action has, or may get, outputs named ${names}. Choose other names.`);
  return {
    problems:
      lines.length === 0 ? [] : [{ verdict: 'not all outputs of the script are set', lines }],
    pairs: free,
  };
}
