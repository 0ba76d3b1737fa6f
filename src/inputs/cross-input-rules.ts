import { quote } from '../text/escape.ts';
import {
  BASE_URL_EXAMPLE,
  HEADER_EXAMPLE,
  isUnencrypted,
  reservedMessage,
  routingHeaders,
} from './connection.ts';
import { type Problem, problemOf } from './input-error.ts';

/** The inputs that rules compare. An input that the action lacks or rejected is missing. */
interface ComparedInputs {
  readonly baseUrl?: string;
  readonly allowInsecureHttp?: boolean;
  readonly headerPrefix?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signature?: string;
  readonly filesPerRequest?: number | 'auto';
  readonly template?: string;
  readonly sandboxId?: string;
  readonly run?: string;
  readonly username?: string;
}

/** Returns no problems if an input that it compares is missing. */
type Rule = (inputs: ComparedInputs) => readonly Problem[];

export const CROSS_INPUT_RULES: readonly Rule[] = [
  checkHttpIsAllowed,
  checkE2bPrefix,
  checkRoutingHeaders,
  checkSignature,
  checkTemplateOrSandboxId,
  checkUserOfCommand,
];

function checkHttpIsAllowed({ baseUrl, allowInsecureHttp }: ComparedInputs): Problem[] {
  if (baseUrl === undefined || allowInsecureHttp !== false || !isUnencrypted(baseUrl)) return [];
  const message = `${quote(baseUrl)} would send secrets unencrypted. Use https, or set allow-insecure-http: true.`;
  return [problemOf('base-url', message, BASE_URL_EXAMPLE)];
}

function checkE2bPrefix({ baseUrl = '', headerPrefix = '' }: ComparedInputs): Problem[] {
  const isE2b = /^https?:\/\/sandbox\.e2b\.(app|dev)\b/.test(baseUrl);
  if (!isE2b || !/^Svc$/i.test(headerPrefix)) return [];
  return [problemOf('header-prefix', "must be E2b, since base-url is E2B's.", 'E2b')];
}

function checkRoutingHeaders({ headers = {}, headerPrefix }: ComparedInputs): Problem[] {
  if (headerPrefix === undefined) return [];
  const routing = Object.values(routingHeaders(headerPrefix)).map(name => name.toLowerCase());
  return Object.keys(headers)
    .filter(name => routing.includes(name.toLowerCase()))
    .map(name => problemOf('headers', reservedMessage(name), HEADER_EXAMPLE));
}

function checkSignature({ signature = '', filesPerRequest }: ComparedInputs): Problem[] {
  if (signature === '' || typeof filesPerRequest !== 'number' || filesPerRequest === 1) return [];
  const message = `"${filesPerRequest}" cannot be combined with a signature, which fits a single target path.`;
  return [problemOf('files-per-request', message, 'auto')];
}

// With a default template, a `sandbox-id` from an unset variable would create another sandbox.
function checkTemplateOrSandboxId({ template, sandboxId }: ComparedInputs): Problem[] {
  if (template === undefined || sandboxId === undefined) return [];
  if ((template === '') !== (sandboxId === '')) return [];
  const show = (value: string) => (value === '' ? 'empty' : quote(value));
  const what = `is ${show(sandboxId)}, and template is ${show(template)}.`;
  return [problemOf('sandbox-id', `${what} ${EXACTLY_ONE}`)];
}

const EXACTLY_ONE =
  'Set template to create a sandbox, or sandbox-id to connect to one, and leave the other empty. An unset variable is empty, so check the names in expressions.';

// The agent reads the user of a command from this header.
function checkUserOfCommand({ run, username = '', headers = {} }: ComparedInputs): Problem[] {
  const isSet = Object.keys(headers).some(name => /^authorization$/i.test(name));
  if (run === undefined || username === '' || !isSet) return [];
  const message = `${quote(username)} would replace the header Authorization. Remove one of them.`;
  return [problemOf('username', message)];
}

/** Resolves `auto` to batches only for E2B, whose agent accepts them. */
export function filesPerRequestOf({
  filesPerRequest,
  headerPrefix,
  signature,
}: Required<Pick<ComparedInputs, 'filesPerRequest' | 'headerPrefix' | 'signature'>>): number {
  if (filesPerRequest !== 'auto') return filesPerRequest;
  // A batch usually reaches its limit of 1 MiB first.
  return /^E2b$/i.test(headerPrefix) && signature === '' ? 250 : 1;
}
