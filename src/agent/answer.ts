import { fieldsOf } from '../text/exact-json.ts';
import type { Redact } from '../text/redact.ts';
import type { HttpAnswer } from './exchange.ts';
import { AgentError, type FailureKind } from './failure.ts';

// Not imported: an import would load all that the module exports, a WebSocket client among it, at 12 MiB and 10 ms.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

// An agent's words are cut to so many characters.
const MAX_SAID = 300;

// Words are looked for in so many characters of a body that is not JSON, so that a long one costs no time.
const MAX_SEARCHED = 16_384;

// The longest time that the agent's Retry-After is honoured for, in milliseconds.
const MAX_RETRY_AFTER = 60_000;

const KINDS: Readonly<Record<number, FailureKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  408: 'busy',
  409: 'busy',
  413: 'too-large',
  425: 'busy',
  429: 'busy',
  500: 'server',
  502: 'server',
  503: 'server',
  504: 'server',
  507: 'disk-full',
};

// The phrasings of the services, with or without an id. An id has quotation marks, or more than letters in it: "sandbox
// agent: route not found" and "sandbox route not found" speak of a sandbox that is there.
const SANDBOX_NOT_FOUND =
  /\bsandbox(?: id)?(?: \\?["'`][^"'`]+["'`]| [\w.-]*[\d_-][\w.-]*)? (?:(?:was |is )?not found|could not be found|does(?:n't| not) exist)/i;

const NOT_ROUTED = /(?:missing|required|no)\b.*\b(?:header|sandbox.?id|sandbox.?port)/i;

// What an agent's own words say better than the status.
const HINTS: readonly (readonly [said: RegExp, hint: string])[] = [
  [/is a directory/i, 'The target is a directory in the sandbox: end the target with / to put the file in it.'],
  [/permission denied/i, 'Set username to a user who may write there, or give the files another target.'],
];

/** Says what an answer other than 200 to 299 means. `now` is the current time, for a Retry-After that is a date. */
export function statusFailure(answer: HttpAnswer, redact: Redact, now: number): AgentError {
  const { tried, status } = answer;
  const said = whatItSaid(answer.text, redact);
  const reason = STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`;
  const quoted = said === '' ? '.' : `. It said: ${JSON.stringify(said)}.`;
  const retryAfterMs = parseRetryAfter(answer.retryAfter, now);
  const [, hint] = HINTS.find(([words]) => words.test(said)) ?? [];
  const details = { status, retryAfterMs, hint };
  return new AgentError(meaningOf(status, said), `${tried} answered ${status}${reason}${quoted}`, details);
}

/** The error of an answer that says success and cannot be taken for it. */
export function badAnswer({ tried, status }: HttpAnswer, why: string, cause?: unknown): AgentError {
  const message = `${tried} answered ${status}, but the answer cannot be trusted: ${why}.`;
  return new AgentError('bad-answer', message, { status, cause });
}

/** What `parse` makes of an answer that should be JSON. @throws AgentError where it is none. */
export function fromJson<T>(answer: HttpAnswer, parse: (text: string) => T): T {
  try {
    return parse(answer.text);
  } catch (error) {
    throw badAnswer(answer, 'It is not JSON', error);
  }
}

/** The words of an error's body, whether JSON, HTML or text: one line, at most 300 characters, empty if there are none. */
export function whatItSaid(text: string, redact: Redact): string {
  // Secrets are taken out before anything is cut or stripped, which could leave a part of one.
  const message = messageOf(text);
  const isText = message !== undefined && !HTML.test(message);
  const words = redact(isText ? message : textOf(redact(message ?? text).slice(0, MAX_SEARCHED)));
  const line = redact(words.slice(0, MAX_SEARCHED).replace(/\s+/g, ' ').trim());
  return line.length > MAX_SAID ? `${line.slice(0, MAX_SAID).toWellFormed()}…` : line;
}

/** Milliseconds that a Retry-After header asks for (RFC 9110, section 10.2.3), at most a minute. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER) : undefined;
}

function meaningOf(status: number, said: string): FailureKind {
  if ((status === 502 || status === 404) && SANDBOX_NOT_FOUND.test(said)) return 'sandbox-not-found';
  if (status === 400 && NOT_ROUTED.test(said)) return 'not-routed';
  if (status >= 300 && status < 400) return 'redirected';
  return KINDS[status] ?? (status >= 400 ? 'rejected' : 'bad-answer');
}

const HTML = /<(?:!doctype|html|head|body|title|center|h\d|p|div|pre)\b/i;
const ENTITIES = new Map(Object.entries({ lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", nbsp: ' ', amp: '&' }));

/** What a page shows. */
function textOf(html: string): string {
  const hidden = /<!--.*?(-->|$)|<(style|script)\b.*?(<\/\2>|$)/gis;
  return html
    .replace(hidden, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(#?\w+);/g, (entity, name: string) => ENTITIES.get(name) ?? entity);
}

function messageOf(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null) return typeof body === 'string' ? body : text;
    const { message, error } = fieldsOf(body);
    return [message, error].find(said => typeof said === 'string') ?? JSON.stringify(body);
  } catch {
    return undefined;
  }
}
