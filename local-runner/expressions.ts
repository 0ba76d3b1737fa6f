import { mapping } from './yaml.ts';

/** What expressions may name, such as `steps` and `runner`. */
export type Contexts = Readonly<Record<string, unknown>>;

/**
 * A text with every expression in it replaced by its value.
 * @throws Error for an expression beyond those that compare knows, or that names what is not there, unless lenient:
 * then it is empty text
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
  const asksForStatus = /\b(always|success|failure)\(\)/.test(expression);
  if (failed && !asksForStatus) return false;
  const value = evaluate(expression, { contexts, failed, unknown: lenient ? !failed : undefined });
  return value !== false && value !== '';
}

interface Surroundings {
  readonly contexts: Contexts;
  readonly failed: boolean;
  /** The value of an expression that is not known. Undefined: it is an error. */
  readonly unknown: string | boolean | undefined;
}

function evaluate(expression: string, surroundings: Surroundings): string | boolean {
  try {
    return compare(expression, surroundings);
  } catch (error) {
    if (surroundings.unknown === undefined) throw error;
    return surroundings.unknown;
  }
}

/** Knows `a == b` and `a != b` of operands, or one operand: a path, a 'text', `toJSON(path)` or a status function. */
function compare(expression: string, surroundings: Surroundings): string | boolean {
  const [, left, operator, right] = /^(\S+)\s*(==|!=)\s*(\S+|'[^']*')$/.exec(expression) ?? [];
  if (left === undefined || right === undefined) return operand(expression, surroundings);
  const same = operand(left, surroundings) === operand(right, surroundings);
  return operator === '==' ? same : !same;
}

function operand(expression: string, { contexts, failed }: Surroundings): string | boolean {
  if (expression === 'always()') return true;
  if (expression === 'success()') return !failed;
  if (expression === 'failure()') return failed;
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
  return path.split('.').reduce((value: unknown, name) => {
    const known = mapping(value);
    if (Object.hasOwn(known, name)) return known[name];
    throw new Error(`The expression ${path} names what is not there`);
  }, contexts);
}
