import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { quote } from '../text/escape.ts';
import { listSome } from '../text/shorten.ts';
import {
  BASE_URL_EXAMPLE,
  fillPlaceholders,
  headerPrefixOf,
  isDryRun,
  isUnencrypted,
  REQUIRED_TO_CONNECT,
} from './connection.ts';
import { InputError, type InputProblem, inputError, tryAll } from './input-error.ts';
import { ACTIONS, INPUTS, type InputParsers, type Inputs, type ParsedBy } from './inputs.ts';
import { type InputParser, type RawInputs, rawValue } from './parsers.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws InputError with the problems of all inputs, and of rules that compare inputs */
export function parseInputs<P extends InputParsers>(
  parsers: P,
  raw: RawInputs,
  environment: Environment = {},
): ParsedBy<P> {
  const opensSandbox = 'template' in parsers;
  const filled = fillHeaderPrefix(fillPlaceholders(raw), opensSandbox);
  const { parsed, problems } = tryAll(Object.entries(parsers), ([name, parse]) => {
    const value = rawValue(filled, name);
    const isLeftOut = value === '' && mayBeEmpty(name, opensSandbox, raw);
    return [camelCase(name), isLeftOut ? value : parse(value, name)];
  });
  // Rejected inputs are missing here. Only the rules see that, since the function then throws.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value comes from its parser
  const inputs = Object.fromEntries(parsed) as ParsedBy<P>;
  problems.push(
    ...tryAll([checkHttpIsAllowed, checkWayToSandbox, checkUserOfCommand], rule =>
      rule(inputs, raw),
    ).problems,
    ...findUnknownInputs(parsers, environment),
  );
  if (problems.length > 0) throw new InputError(problems);
  return inputs;
}

/** The action `sandbox` uses the API of E2B, whatever the host. */
function fillHeaderPrefix(raw: RawInputs, opensSandbox: boolean): RawInputs {
  const usesApi = opensSandbox && wayToSandbox(raw) !== WAYS.takeOver;
  const fallback = usesApi ? 'E2b' : headerPrefixOf(rawValue(raw, 'base-url'));
  return { ...raw, 'header-prefix': rawValue(raw, 'header-prefix') || fallback };
}

function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Finds inputs that the action does not have. GitHub only warns of them, so a misspelt `fail-if`
 * would judge nothing. Jobs set variables such as INPUT_NAME for themselves, so a name only counts
 * if it has a hyphen, or if it is that of an input but for - and _, and that input is not set.
 */
function findUnknownInputs(parsers: InputParsers, environment: Environment): InputProblem[] {
  const valueOf = (name: string) => environment[`INPUT_${name.toUpperCase()}`]?.trim() ?? '';
  const bare = (name: string) => name.replaceAll(/[-_]/g, '');
  const unknown = Object.keys(environment)
    .flatMap(variable => /^INPUT_(.+)$/.exec(variable)?.[1]?.toLowerCase() ?? [])
    .filter(name => valueOf(name) !== '' && !Object.hasOwn(parsers, name));
  return unknown.flatMap(input => {
    const near = Object.entries(parsers).find(([name]) => bare(name) === bare(input));
    if (near === undefined ? !input.includes('-') : !isDefault(valueOf(near[0]), near[1]))
      return [];
    const advice = near?.[0] ?? listSome(actionsWith(input));
    const question = advice === '' ? '' : ` Did you mean ${advice}?`;
    return { input, message: `is not an input of this action.${question}` };
  });
}

// If an input is not set, the runner passes the default of action.yml.
function isDefault(value: string, parse: InputParser<unknown>): boolean {
  const [given, fallback] = tryAll([value, ''], text => parse(text, '')).parsed;
  return value === '' || isDeepStrictEqual(given, fallback);
}

function actionsWith(input: string): string[] {
  const parsers: Readonly<Record<string, InputParsers>> = INPUTS;
  return Object.entries(ACTIONS)
    .filter(([action]) => Object.hasOwn(parsers[action] ?? {}, input))
    .map(([, { folder }]) => path.posix.join('sandbox-sync/sandbox-sync', folder));
}

// An input is undefined if the action does not have it, or if its value was rejected. Rules pass
// without it.
type AnyInputs = Partial<Inputs<'run'> & Inputs<'sandbox'>>;

function checkHttpIsAllowed({ baseUrl = '', allowInsecureHttp }: AnyInputs): void {
  if (baseUrl === '' || allowInsecureHttp !== false || !isUnencrypted(baseUrl)) return;
  const message = `${quote(baseUrl)} would send secrets unencrypted. Use https, or set allow-insecure-http: true.`;
  throw inputError('base-url', message, BASE_URL_EXAMPLE);
}

const API = ['api-url', 'api-key'];
const AT_CREATION = ['metadata', 'env', 'create-options'];

const WAYS = {
  create: { required: API, unused: ['token'], why: 'template creates a sandbox' },
  connect: {
    required: API,
    unused: AT_CREATION,
    why: 'sandbox-id is that of a sandbox that exists',
  },
  takeOver: {
    required: REQUIRED_TO_CONNECT,
    unused: [...API, 'delete', ...AT_CREATION],
    why: 'token takes a sandbox over as it is',
  },
} as const;

function wayToSandbox(raw: RawInputs) {
  const isSet = (name: string) => rawValue(raw, name) !== '';
  if (isSet('template')) return WAYS.create;
  const isTakenOver = isSet('token') || (isSet('base-url') && !API.some(isSet));
  return isTakenOver ? WAYS.takeOver : WAYS.connect;
}

function mayBeEmpty(name: string, opensSandbox: boolean, raw: RawInputs): boolean {
  // A dry run connects to nothing.
  if (!opensSandbox) return isDryRun(raw) && REQUIRED_TO_CONNECT.includes(name);
  return (
    [...API, ...REQUIRED_TO_CONNECT].includes(name) && !wayToSandbox(raw).required.includes(name)
  );
}

// If `template` had a default, a `sandbox-id` from an unset variable would create a sandbox, so
// require one of the two.
function checkWayToSandbox({ template, sandboxId }: AnyInputs, raw: RawInputs): void {
  if (template === undefined || sandboxId === undefined) return;
  if ((template === '') === (sandboxId === '')) {
    const message = `is ${quote(sandboxId)}, and template is ${quote(template)}. Set template to create a sandbox, or sandbox-id to connect to one, and leave the other empty. An unset variable is empty, so check the names in expressions.`;
    throw inputError('sandbox-id', message);
  }
  const { unused, why } = wayToSandbox(raw);
  const message = `has no effect, since ${why}. Leave out one of them.`;
  const problems = unused
    .filter(name => rawValue(raw, name) !== '')
    .map(input => ({ input, message }));
  if (problems.length > 0) throw new InputError(problems);
}

// `username` is sent in the header Authorization, from which the agent takes a command's user.
function checkUserOfCommand({ run, username = '', headers = {} }: AnyInputs): void {
  const isTaken = Object.keys(headers).some(name => /^authorization$/i.test(name));
  if (run === undefined || username === '' || !isTaken) return;
  const message = `${quote(username)} would replace the header Authorization. Remove one of them.`;
  throw inputError('username', message);
}
