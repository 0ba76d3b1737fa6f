import { type Condition, type Fail, isReady, parseCondition } from '../gate/conditions.ts';
import { quote } from '../text/visible.ts';
import { field, parseLines, type Refuse } from './fields.ts';
import type { Slips } from './slips.ts';

/** Conditions of a gate, one per line; empty lines and comments are ignored. */
export const conditions = field<readonly Condition[]>(
  (value, refuse) =>
    parseLines(value, (line, number) =>
      parseConditionLine(line, failAt(line, number, refuse, 'mem_used_pct > 90')),
    ),
  all => (all.length === 0 ? 'empty' : all.map(each => each.text).join(', ')),
);

/** Conditions to wait for; `ready` only asks for stats. Undefined if the input is empty. */
export const waiting = field<readonly Condition[] | undefined>(
  (value, refuse) => {
    const lines = parseLines<Condition | 'ready'>(value, (line, number) => {
      const fail = failAt(line, number, refuse, 'cpu_used_pct < 50');
      if (/^[\d.]+\s*(ms|s|m|h)$/.test(line))
        return fail('it is a duration: use wait-timeout', 1, 'ready');
      return isReady(line, fail) ? ['ready'] : parseConditionLine(line, fail);
    });
    return lines.length > 0 ? lines.filter(line => line !== 'ready') : undefined;
  },
  all => (all === undefined ? 'empty' : ['ready', ...all.map(each => each.text)].join(', ')),
);

// What other places have around a condition, or before it.
const SLIPS: Slips = [
  [/\$\{\{/, 'the runner did not evaluate `${{`: check its spelling'],
  [/^-\s/, 'remove the dash: one condition per line, not a list'],
  [/^(["'`]).*\1$/, 'remove the quotes around it'],
  [/^if\b|^\$/, 'begin with the metric alone, such as mem_used_pct'],
  [/^-?[\d.]+%?\s*[<>=]/, 'write the metric first, and the number after the operator'],
  [/\d,\d{3}/, 'write the number without commas'],
];

function parseConditionLine(line: string, fail: Fail): Condition[] {
  const slip = SLIPS.find(([pattern]) => pattern.test(line));
  if (slip !== undefined) return fail(slip[1], 1);
  const [, aggregate, metric] = /^(min|max|mean|last)\s*\(\s*(\w+)\s*\)/i.exec(line) ?? [];
  if (aggregate !== undefined) return fail(`write ${metric}.${aggregate.toLowerCase()} instead`, 1);
  return line === '' || line.startsWith('#') ? [] : [parseCondition(line, fail)];
}

function failAt(line: string, number: number, refuse: Refuse, usualExample: string): Fail {
  const place = `line ${number}, ${quote(line)}`;
  return (message, column, example = usualExample) =>
    refuse(`${place}, at character ${column}: ${message.replace(/(?<![?.])$/, '.')}`, example);
}
