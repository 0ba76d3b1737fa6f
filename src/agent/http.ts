import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import type { Redact } from '../text/escape.ts';
import { formatBytes } from '../text/format.ts';
import { fieldsOf, parseFields, parseJson, parseRedacted } from '../text/json.ts';
import { AgentError, excerpt, type FailureKind, type Hints } from './failure.ts';

export interface AgentResponse<Body = string> {
  /** Method and URL without the query, which may contain a signature. */
  readonly label: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Body;
}

export type StreamedResponse = AgentResponse<AsyncIterable<Buffer>>;

const MAX_CONNECT_MS = 10_000;

export function openDispatcher(baseUrl: string, timeoutMs: number): Dispatcher {
  // Pass options instead of a connector, so that connections resume each other's TLS sessions.
  // HTTP/2 is off because one GOAWAY would break every upload in flight (nodejs/undici#5089 and
  // #5468).
  const options = { allowH2: false, connectTimeout: Math.min(timeoutMs, MAX_CONNECT_MS) };
  if (isLocalHttp(baseUrl)) return new Agent(options);
  try {
    return new EnvHttpProxyAgent(options);
  } catch {
    const message = `${proxyVariables(baseUrl).join(', ')}: not the URL of an http, https or socks5 proxy.`;
    throw new AgentError('unreachable', message, { hint: 'Example: http://host:3128' });
  }
}

/** Returns true for http to this runner, which no proxy may carry: it would see the token. */
export function isLocalHttp(url: string): boolean {
  // The URL parser has normalized 127.1 and ::0:1. Only trust the name localhost, since any other
  // name may resolve to a remote host.
  return /^http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:|$)/.test(new URL(url).origin);
}

/** Returns the names of the proxy variables that apply. Their values may contain passwords. */
export function proxyVariables(baseUrl: string): string[] {
  if (isLocalHttp(baseUrl)) return [];
  // Windows ignores the case of variable names, so report the spelling that was set.
  const names = Object.keys(process.env).filter(name => /^https?_proxy$/i.test(name));
  return names.filter(name => process.env[name]).sort();
}

export async function sendRequest(
  label: string,
  url: string,
  body: AsyncIterable<Buffer> | undefined,
  options: Parameters<typeof request>[1],
): Promise<StreamedResponse> {
  const response = await request(url, {
    ...options,
    // @ts-expect-error undici accepts async iterables as bodies, but its types do not
    body: body ?? null,
    // Turn undici's timeouts off: they fire up to 0.8 s late, and a hostile server could restart
    // them forever with 103 responses or single bytes. The client has its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { label, status: response.statusCode, headers: response.headers, body: response.body };
}

// Twice the longest response to a default batch of 250 files: E2B's agent sends at most 8 KiB per
// file (a path and metadata of up to 4 KiB each).
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

export async function readResponse({
  body,
  ...response
}: StreamedResponse): Promise<AgentResponse> {
  const read: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) {
      const { label, status } = response;
      const message = `${label} answered ${status} with more than ${formatBytes(MAX_RESPONSE_BYTES)}.`;
      throw new AgentError('bad-response', message, { status });
    }
    read.push(chunk);
  }
  return { ...response, body: new TextDecoder().decode(Buffer.concat(read)) };
}

export function parseResponse(response: AgentResponse): unknown {
  const value = parseJson(response.body);
  if (value === undefined) throw bodyError(response, 'it is not JSON');
  return value;
}

/** Builds the error for a body that is unusable, although the status is fine. */
export function bodyError(response: AgentResponse, why: string): AgentError {
  const { label, status } = response;
  const message = `${label} answered ${status} with an unusable response: ${why}.`;
  // If a proxy responded, it has not passed the request on, but a 201 may be the service's, cut off.
  const hadNoEffect = isFromProxy(response) && status !== 201;
  return new AgentError('bad-response', message, { status, hadNoEffect });
}

/** Returns true if the body is neither JSON nor empty, like that of a proxy or a website. */
export function isFromProxy({ body }: AgentResponse): boolean {
  return body.trim() !== '' && parseJson(body) === undefined;
}

export function statusError(
  response: AgentResponse,
  redact: Redact,
  now: number,
  hints: Hints = {},
): AgentError {
  const { status, headers, body } = response;
  if (status >= 300 && status < 400) return redirectError(response, redact);
  const message = messageIn(body, redact);
  const matched = excerpt(message, redact, MAX_MATCHED);
  const rule = STATUS_RULES.find(
    each => each.statuses.includes(status) && (each.message?.test(matched) ?? true),
  );
  const kind = rule?.kind ?? kindOfClass(status);
  const words = excerpt(message, redact);
  const quoted = words === '' ? '' : ` It said: ${JSON.stringify(words)}.`;
  const [retryAfter] = [headers['retry-after']].flat();
  return new AgentError(kind, `${describeStatus(response)}${quoted}`, {
    status,
    retryAfterMs: parseRetryAfter(retryAfter, now),
    hint: rule?.hint ?? hints[kind],
    hadNoEffect: PLACEMENT_ERROR.test(String(parseFields(body)['error_code'])),
  });
}

// E2B sends these codes if a creation failed on every host and left nothing behind, so repeat it
// (packages/api/internal/orchestrator/placement_errors.go in e2b-dev/runtime).
const PLACEMENT_ERROR = /^sandbox_(create_failed|capacity_unavailable|placement_timeout)$/;

// A message may quote a path of 4,096 characters (PATH_MAX of Linux).
const MAX_MATCHED = 5000;

// The first match counts.
const STATUS_RULES: readonly {
  readonly statuses: readonly number[];
  readonly message?: RegExp;
  readonly kind: FailureKind;
  readonly hint?: string;
}[] = [
  // Must come first: the path that it quotes may match a later row. E2B's agent sends it for
  // downloads (packages/envd/internal/api/download.go).
  { statuses: [404], message: /^path '.*' does not exist$/, kind: 'no-such-file' },
  {
    // The words of most services for a missing sandbox. "sandbox route not found" must not match,
    // so an ID must be quoted or contain a digit.
    statuses: [404, 502],
    message:
      /\bsandbox(?: id)?(?: \S*[\d"'`]\S*)? (?:(?:was |is )?not found|could not be found|does(?:n't| not) exist)/i,
    kind: 'sandbox-not-found',
  },
  {
    // E2B's agents before 0.4.0, in templates built before October 2025, require a username
    // (e2b-dev/infra#1349).
    statuses: [400, 401],
    message: /\busername (is required|not provided)|\b(unknown|invalid) user|\blooking up user/i,
    kind: 'unauthorized',
    hint: 'Set username: user, or another user of the sandbox.',
  },
  {
    // E2B's agent responds with 500 to a target below a file, and to a download from /proc.
    statuses: [500],
    message: /\bis a directory\b|\bpath is a file\b|\bnot a directory\b|\bseeker can't seek\b/i,
    kind: 'rejected',
  },
  {
    // Even root may not overwrite another user's file in /tmp (fs.protected_regular of Linux).
    statuses: [500],
    message: /\b(permission denied|text file busy|read-only file system)\b/i,
    kind: 'rejected',
    hint: 'The sandbox allows no writing there. Upload to a folder of your own, not directly to /tmp, or under another name, and move it with `mv` in `run`.',
  },
  {
    statuses: [400],
    message: /\brouting header\b/i,
    kind: 'rejected',
    hint: 'Set header-prefix to what precedes -Sandbox-Id in the name of that header, such as E2b.',
  },
  // No host can run the template, so repeating the creation cannot help.
  { statuses: [503], message: /\bno compatible node\b/i, kind: 'rejected' },
  { statuses: [401], kind: 'unauthorized' },
  { statuses: [403], kind: 'forbidden' },
  { statuses: [404, 405], kind: 'not-found' },
  { statuses: [410], kind: 'sandbox-not-found' },
  { statuses: [413], kind: 'too-large' },
  { statuses: [408, 409, 425, 429, 503], kind: 'busy' },
  { statuses: [501, 505], kind: 'rejected' },
  { statuses: [507], kind: 'disk-full' },
];

function kindOfClass(status: number): FailureKind {
  if (status < 300) return 'bad-response';
  return status < 500 ? 'rejected' : 'server';
}

// Do not import node:http: that would also load Node's own undici (12 MiB and 10 ms).
const { STATUS_CODES } = process.getBuiltinModule('node:http');

function describeStatus({ label, status }: AgentResponse): string {
  const phrase = STATUS_CODES[status];
  return `${label} answered ${status}${phrase === undefined ? '' : ` ${phrase}`}.`;
}

function redirectError(response: AgentResponse, redact: Redact): AgentError {
  const [location = ''] = [response.headers['location']].flat();
  // Only show the origin: the path may contain a token. Redact before URL.parse() lowercases the
  // host and any secret in it.
  const origin = /^https?:/i.test(location) ? URL.parse(redact(location))?.origin : undefined;
  const leadsTo = origin === undefined ? '' : ` It leads to ${excerpt(origin, redact)}.`;
  const message = `${describeStatus(response)}${leadsTo} Redirects are not followed.`;
  const hint = 'Change base-url: it must lead to the agent without a redirect.';
  return new AgentError('not-found', message, { status: response.status, hint });
}

function messageIn(text: string, redact: Redact): string {
  // Ignore titles with markup or entities, in which redaction might miss a secret.
  if (/^\s*</.test(text)) return /<title>([^<&]*)<\/title>/i.exec(text)?.[1] ?? '';
  const body = parseRedacted(text, redact);
  if (body === undefined) return text;
  const { message, error } = fieldsOf(body);
  return [body, message, error].find(each => typeof each === 'string') ?? JSON.stringify(body);
}

const MAX_RETRY_AFTER_MS = 60_000;

/** Returns undefined for a missing, invalid or past Retry-After (RFC 9110, section 10.2.3). */
function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const isSeconds = /^\d+$/.test(value.trim());
  const ms = isSeconds ? Number(value) * 1000 : Date.parse(value) - now;
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}
