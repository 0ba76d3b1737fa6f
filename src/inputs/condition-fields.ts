import { type Condition, type Fail, isReady, parseCondition } from '../gate/conditions.ts';
import { quote } from '../text/visible.ts';
import { field, parseLines, type Refuse } from './fields.ts';
import type { Slips } from './slips.ts';

/** Conditions of a gate, one per line; empty lines and comments are ignored. */
export const conditions = field<readonly Condition[]>(
  (value, refuse) =>
    parseConditionLines(value, { refuse, example: 'mem_used_pct > 90' }, parseConditionLine),
  all => (all.length === 0 ? 'empty' : all.map(each => each.text).join(', ')),
);

/** Conditions to wait for; `ready` only asks for stats. Undefined if the input is empty. */
export const waiting = field<readonly Condition[] | undefined>(
  (value, refuse) => {
    const lines = parseConditionLines(
      value,
      { refuse, example: 'cpu_used_pct < 50' },
      (line, fail): Condition | 'ready' => {
        if (/^[\d.]+\s*(ms|s|m|h)$/.test(line))
          return fail('it is a duration: use wait-timeout', 1, 'ready');
        return isReady(line, fail) ? 'ready' : parseConditionLine(line, fail);
      },
    );
    return lines.length > 0 ? lines.filter(line => line !== 'ready') : undefined;
  },
  all => (all === undefined ? 'empty' : ['ready', ...all.map(each => each.text)].join(', ')),
);

// What other places have around a condition, or before it.
const LINE_SLIPS: Slips = [
  [/\$\{\{/, 'the runner did not evaluate `${{`: check its spelling'],
  [/^-\s/, 'remove the dash: one condition per line, not a list'],
  [/^(["'`]).*\1$/, 'remove the quotes around it'],
  [/^if\b|^\$/, 'begin with the metric alone, such as mem_used_pct'],
  [/^-?[\d.]+%?\s*[<>=]/, 'write the metric first, and the number after the operator'],
  [/\d,\d{3}/, 'write the number without commas'],
];

/** Parses every line that is neither empty nor a comment. */
function parseConditionLines<T>(
  value: string,
  { refuse, example }: { readonly refuse: Refuse; readonly example: string },
  parseLine: (line: string, fail: Fail) => T,
): T[] {
  return parseLines(value, (line, number) =>
    line === '' || line.startsWith('#')
      ? []
      : [parseLine(line, failAt(line, number, refuse, example))],
  );
}

function parseConditionLine(line: string, fail: Fail): Condition {
  const slip = LINE_SLIPS.find(([pattern]) => pattern.test(line));
  if (slip !== undefined) return fail(slip[1], 1);
  const [, aggregate, metric] = /^(min|max|mean|last)\s*\(\s*(\w+)\s*\)/i.exec(line) ?? [];
  if (aggregate !== undefined) return fail(`write ${metric}.${aggregate.toLowerCase()} instead`, 1);
  return parseCondition(line, fail);
}

function failAt(line: string, number: number, refuse: Refuse, usualExample: string): Fail {
  const place = `line ${number}, ${quote(line)}`;
  return (message, column, example = usualExample) =>
    refuse(`${place}, at character ${column}: ${message.replace(/(?<![?.])$/, '.')}`, example);
}
