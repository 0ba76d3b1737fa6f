import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { truthy } from '@actions/expressions/result';

/** What expressions may name, such as `steps` and `runner`. */
export type Contexts = Readonly<Record<string, unknown>>;

/**
 * Replaces each expression in a text by its value.
 * @throws Error if GitHub cannot parse one, or a context is missing
 */
export function fillIn(text: string, contexts: Contexts): string {
  // An expression ends at the first }} outside quotes.
  return text.replaceAll(/\$\{\{((?:'[^']*'|[^'])*?)\}\}/g, (_all, expression: string) =>
    evaluate(expression, contexts).coerceString(),
  );
}

/** Whether a step with this `if` runs. */
export function holds(condition: string, contexts: Contexts, hasFailed: boolean): boolean {
  const expression = condition.replace(/^\s*\$\{\{(.*)\}\}\s*$/s, '$1');
  const names = new Lexer(expression).lex().tokens.map(({ lexeme }) => lexeme.toLowerCase());
  const asksForStatus = ['always', 'success', 'failure', 'cancelled'].some(name =>
    names.includes(name),
  );
  return (asksForStatus || !hasFailed) && truthy(evaluate(expression, contexts, hasFailed));
}

function evaluate(expression: string, contexts: Contexts, hasFailed = false): data.ExpressionData {
  const values = { always: true, success: !hasFailed, failure: hasFailed, cancelled: false };
  const functions = Object.entries(values).map(([name, value]) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(value),
  }));
  const { tokens } = new Lexer(expression).lex();
  const parsed = new Parser(tokens, Object.keys(contexts), functions).parse();
  const known: unknown = JSON.parse(JSON.stringify(contexts), data.reviver);
  if (!(known instanceof data.Dictionary)) throw new TypeError('The contexts are no mapping');
  const byName = new Map(functions.map(each => [each.name, each]));
  return new Evaluator(parsed, known, byName).evaluate();
}
