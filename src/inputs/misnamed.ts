import { closestWord } from '../text/nearest.ts';
import type { Problem } from './input-error.ts';
import { type Entry, inputNames } from './inputs.ts';

const EXCLUDE = 'is not an input: write !**/*.map in files.';
const USE_FILES = 'is not an input: use files.';
const USE_TARGET = 'is not an input: use target.';
const USE_FAIL_IF = 'is not an input: use fail-if.';

// Names of inputs in other actions.
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['exclude', EXCLUDE],
  ['ignore', EXCLUDE],
  ['path', USE_FILES],
  ['source', USE_FILES],
  ['dest', USE_TARGET],
  ['destination', USE_TARGET],
  ['target-dir', USE_TARGET],
  ['remote-path', USE_TARGET],
  ['include', USE_FILES],
  ['pattern', USE_FILES],
  ['patterns', USE_FILES],
]);

const OTHER_GATES: ReadonlyMap<string, string> = new Map([
  ['fail-on', USE_FAIL_IF],
  ['fail-when', USE_FAIL_IF],
  ['threshold', USE_FAIL_IF],
]);

const NO_GATE_HERE = 'is not an input of this action. Use it in a step of the action stats.';
const NO_GATES: ReadonlyMap<string, string> = new Map([
  ['fail-if', NO_GATE_HERE],
  ['warn-if', NO_GATE_HERE],
]);

/** The inputs among those given that the entry does not have: one could be meant as a gate. */
export function misnamedInputs(entry: Entry, given: readonly string[]): Problem[] {
  const known = inputNames(entry);
  const others = new Map([
    ...(known.includes('files') ? OTHER_NAMES : []),
    ...(known.includes('fail-if') ? OTHER_GATES : NO_GATES),
  ]);
  return given
    .filter(name => !known.includes(name))
    .flatMap(input => {
      const message = others.get(input);
      if (message !== undefined) return [{ input, message }];
      const meant = closestWord(input, known, 0.5);
      if (meant === undefined) return [];
      return [{ input, message: `is not an input. Did you mean ${meant}?` }];
    });
}
