import { type Condition, parseCondition } from '../gate/conditions.ts';
import { quote } from '../text/visible.ts';
import { parseLines, type Refuse } from './parse.ts';
import { field } from './values.ts';

/** Conditions of a gate, one a line; empty lines and comments are passed over. */
export const conditions = field<readonly Condition[]>(
  (value, refuse) => parseLines(value, (line, number) => conditionIn(line, number, refuse, 'mem_used_pct > 90')),
  all => (all.length === 0 ? 'empty' : all.map(each => each.text).join(', ')),
);

/** Conditions to wait for, of which `ready` asks for no more than stats; undefined where there is nothing to wait for. */
export const waiting = field<readonly Condition[] | undefined>(
  (value, refuse) => {
    const isReady = (line: string) => line === 'ready';
    const all = parseLines(value, (line, number) =>
      isReady(line) ? [] : conditionIn(line, number, refuse, 'cpu_used_pct < 50'),
    );
    return all.length > 0 || value.split(/\s*\n\s*/).some(isReady) ? all : undefined;
  },
  all => (all === undefined ? 'empty' : ['ready', ...all.map(each => each.text)].join(', ')),
);

function conditionIn(line: string, number: number, refuse: Refuse, example: string): Condition[] {
  if (line === '' || line.startsWith('#')) return [];
  const place = `line ${number}, ${quote(line)}`;
  const fail = (message: string, column: number) =>
    refuse(`${place}, at character ${column}: ${message.replace(/(?<![?.])$/, '.')}`, example);
  return [parseCondition(line, fail)];
}
