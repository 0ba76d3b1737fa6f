import { mapping } from '../runner/yaml.ts';
import { conclude, linesOf, variable } from './variables.ts';

// Compares a step as GitHub describes it, in STEP, with the lines of EXPECTED: `path = text`, or
// `path ~ pattern` for a regular expression that matches the whole value.

const step: unknown = JSON.parse(variable('STEP'));
const expected = linesOf('EXPECTED');
conclude(expected.flatMap(findingOf), `As expected: ${expected.length} of ${expected.length}.`);

function findingOf(line: string): string[] {
  const [, path = '', sign, wanted = ''] = /^(\S+) ([=~]) (.*)$/.exec(line) ?? [];
  if (sign === undefined) return [`EXPECTED has a line of no meaning: ${line}`];
  const value = lookUp(path);
  if (value === undefined) return [`There is no ${path}`];
  const fits = sign === '=' ? value === wanted : new RegExp(`^(?:${wanted})$`, 's').test(value);
  return fits ? [] : [`${path} is ${value} where ${line} was expected`];
}

function lookUp(path: string): string | undefined {
  const value = path.split('.').reduce((found: unknown, name) => mapping(found)[name], step);
  return typeof value === 'string' ? value : undefined;
}
