import { Refusal } from './answer.ts';

/** What a field must hold, and whether it is required. */
interface Rule {
  readonly isRequired?: boolean;
  readonly isValid: (value: unknown) => boolean;
  readonly says: string;
}

const isText = (value: unknown) => typeof value === 'string';
const TEXT: Rule = { isValid: isText, says: 'a string' };
const FLAG: Rule = { isValid: value => typeof value === 'boolean', says: 'a boolean' };
const TEXTS: Rule = {
  isValid: value =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(isText),
  says: 'an object of strings',
};
const SECONDS: Rule = {
  // No account may ask for more than a day.
  isValid: value => Number.isInteger(value) && Number(value) > 0 && Number(value) <= 86_400,
  says: 'an integer from 1 to 86400',
};

/** The operations, and the fields that the action may send to each. */
export const ROUTES: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  'POST /sandboxes': {
    templateID: { ...TEXT, isRequired: true },
    timeout: SECONDS,
    secure: FLAG,
    metadata: TEXTS,
    envVars: TEXTS,
  },
  'POST /sandboxes/ID/connect': { timeout: { ...SECONDS, isRequired: true } },
  'POST /sandboxes/ID/timeout': { timeout: { ...SECONDS, isRequired: true } },
  'DELETE /sandboxes/ID': {},
};

/** Refuses a body with a missing, mistyped or unknown field. */
export function checkFields(body: unknown, rules: Readonly<Record<string, Rule>>): void {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (body !== undefined && !isObject) throw new Refusal(400, 'The body is not an object');
  const fields = fieldsOf(body);
  const unknown = Object.keys(fields).find(name => !Object.hasOwn(rules, name));
  if (unknown !== undefined) throw new Refusal(400, `${unknown} is not a known field`);
  for (const [name, { isRequired = false, isValid, says }] of Object.entries(rules)) {
    if (!(name in fields) && !isRequired) continue;
    if (!isValid(fields[name])) throw new Refusal(400, `${name} must be ${says}`);
  }
}

/** The fields of a value; none if it is not an object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
