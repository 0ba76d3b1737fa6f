import { mapping } from './yaml.ts';

/** What expressions may name, such as `steps` and `runner`. */
export type Contexts = Readonly<Record<string, unknown>>;

/**
 * A text with every expression in it replaced by its value.
 * @throws Error for an expression beyond those known here, or that names what is not there, unless lenient: then it is
 * empty text. A missing output of a known step is empty in any case
 */
export function fillIn(text: string, contexts: Contexts, lenient = false): string {
  const surroundings = { contexts, failed: false, unknown: lenient ? '' : undefined };
  return text.replaceAll(/\$\{\{(.*?)\}\}/gs, (_all, expression: string) =>
    String(evaluate(expression.trim(), surroundings)),
  );
}

/**
 * Whether a step with this `if` runs, given whether a step before it failed the job.
 * @throws Error as fillIn does, unless lenient: then it runs where no step failed
 */
export function holds(condition: string, contexts: Contexts, failed: boolean, lenient = false): boolean {
  const expression = condition.replace(/^\$\{\{(.*)\}\}$/s, '$1').trim();
  const asksForStatus = /\b(always|success|failure|cancelled)\(\)/.test(expression);
  if (failed && !asksForStatus) return false;
  const value = evaluate(expression, { contexts, failed, unknown: lenient ? !failed : undefined });
  return isTrue(value);
}

interface Surroundings {
  readonly contexts: Contexts;
  readonly failed: boolean;
  /** The value of an expression that is not known. Undefined: it is an error. */
  readonly unknown: Value | undefined;
}

function evaluate(expression: string, surroundings: Surroundings): Value {
  try {
    return firstThat(isTrue, expression, '||', all =>
      firstThat(
        value => !isTrue(value),
        all,
        '&&',
        each => compare(each, surroundings),
      ),
    );
  } catch (error) {
    if (surroundings.unknown === undefined) throw error;
    return surroundings.unknown;
  }
}

type Value = string | boolean;

function isTrue(value: Value): boolean {
  return value !== false && value !== '';
}

/** The value of the first operand that decides, else that of the last. There are no parentheses. */
function firstThat(
  decides: (value: Value) => boolean,
  expression: string,
  operator: string,
  read: (operand: string) => Value,
): Value {
  return expression
    .split(operator)
    .map(each => read(each.trim()))
    .reduce((left, right) => (decides(left) ? left : right));
}

/** Knows `a == b` and `a != b` of operands, or one operand: a path, a 'text', `toJSON(path)` or a status function, also with a `!`. */
function compare(expression: string, surroundings: Surroundings): Value {
  const [, left, operator, right] = /^(\S+)\s*(==|!=)\s*(\S+|'[^']*')$/.exec(expression) ?? [];
  if (left !== undefined && right !== undefined)
    return (operand(left, surroundings) === operand(right, surroundings)) === (operator === '==');
  if (expression.startsWith('!')) return !isTrue(operand(expression.slice(1), surroundings));
  return operand(expression, surroundings);
}

function operand(expression: string, { contexts, failed }: Surroundings): Value {
  if (expression === 'always()') return true;
  if (expression === 'success()') return !failed;
  if (expression === 'failure()') return failed;
  if (expression === 'cancelled()') return false;
  const [, text] = /^'([^']*)'$/.exec(expression) ?? [];
  if (text !== undefined) return text;
  const [, json] = /^toJSON\((.*)\)$/.exec(expression) ?? [];
  if (json !== undefined) return JSON.stringify(lookUp(json, contexts), null, 2);
  const value = lookUp(expression, contexts);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return String(value);
  throw new Error(`The expression ${expression} is no text`);
}

function lookUp(path: string, contexts: Contexts): unknown {
  if (!/^[\w-]+(\.[\w-]+)+$/.test(path)) throw new Error(`The expression ${path} is not known here`);
  return path.split('.').reduce((value: unknown, name, index, names) => {
    const known = mapping(value);
    if (Object.hasOwn(known, name)) return known[name];
    // An output that a step or a job came to an end without is empty.
    if (names[index - 1] === 'outputs') return '';
    throw new Error(`The expression ${path} names what is not there`);
  }, contexts);
}
