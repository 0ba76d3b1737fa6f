import type { Redact } from '../text/redact.ts';
import { AgentError, type FailureKind } from './failure.ts';
import { wordsOf } from './words.ts';

// An import would load the whole of node:http, at 12 MiB and 10 ms.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

export interface Answer {
  /** The method and the URL of its request, without the query, which may hold a signature. */
  readonly label: string;
  readonly status: number;
  /** The body as text, without a byte order mark. */
  readonly text: string;
  readonly retryAfter: string | undefined;
  /** Where a redirect leads. */
  readonly location: string | undefined;
  /** True if it came before all of the request's body was sent. */
  readonly isEarly: boolean;
}

// The contract's answers have some hundred bytes.
const MAX_BYTES = 128 * 1024;

const MAX_RETRY_AFTER_MS = 60_000;

interface Response {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Buffer>;
}

/** @throws AgentError if the body is longer than 128 KiB */
export async function readAnswer(
  { statusCode: status, headers, body }: Response,
  { label, isEarly }: Pick<Answer, 'label' | 'isEarly'>,
): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BYTES) {
      const message = `${label} answered ${status} with a response larger than 128 KiB.`;
      throw new AgentError('bad-answer', message, { status });
    }
    chunks.push(chunk);
  }
  return {
    label,
    status,
    text: new TextDecoder().decode(Buffer.concat(chunks)),
    retryAfter: [headers['retry-after']].flat()[0],
    location: [headers['location']].flat()[0],
    isEarly,
  };
}

/** @throws AgentError if the answer is not JSON */
export function parseAnswer(answer: Answer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    // Without its cause: V8 quotes the text, and a quoted part of a secret cannot be redacted.
    throw badAnswer(answer, 'it is not JSON');
  }
}

/** An error for a 2xx answer that breaks the contract. `why` completes the sentence. */
export function badAnswer({ label, status }: Answer, why: string): AgentError {
  const message = `${label} answered ${status} with an unusable answer: ${why}.`;
  return new AgentError('bad-answer', message, { status });
}

const KINDS: Readonly<Record<number, FailureKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  405: 'not-found',
  408: 'busy',
  409: 'busy',
  410: 'sandbox-not-found',
  413: 'too-large',
  425: 'busy',
  429: 'busy',
  500: 'server',
  502: 'server',
  503: 'server',
  504: 'server',
  507: 'disk-full',
  // Cloudflare's own: it cannot reach the host, or gets no proper answer in time.
  520: 'server',
  521: 'server',
  522: 'server',
  523: 'server',
  524: 'server',
};

interface Rule {
  readonly statuses: readonly number[];
  readonly words: RegExp;
  readonly kind: FailureKind;
}

// Phrases of real services that say more than the status.
const RULES: readonly Rule[] = [
  {
    statuses: [404, 502],
    // An ID is quoted or has a digit, dash or underscore: "sandbox agent: route not found" is none.
    words:
      /\bsandbox(?: id)?(?: \\?["'`][^"'`]+["'`]| [\w.-]*[\d_-][\w.-]*)? (?:(?:was |is )?not found|could not be found|does(?:n't| not) exist)/i,
    kind: 'sandbox-not-found',
  },
  {
    statuses: [400],
    words: /(?:missing|required|no|invalid)\b.*\b(?:header|sandbox.?id|sandbox.?port)/i,
    kind: 'not-routed',
  },
  {
    statuses: [400, 401, 404, 500],
    words: /\b(?:unknown user|user:? [\w.'"`-]+ (?:was )?not found|error looking up user)/i,
    kind: 'unknown-user',
  },
  {
    statuses: [400, 500],
    words: /not a directory|\bENOTDIR\b|\bpath is a file\b/i,
    kind: 'not-a-directory',
  },
  {
    statuses: [500],
    words: /no space left on device|disk quota exceeded/i,
    kind: 'disk-full',
  },
];

const PERMISSION_DENIED = /permission denied/i;

// What an agent's own words suggest beyond the kind of failure.
const HINTS: readonly (readonly [words: RegExp, hint: string])[] = [
  [
    /is a directory/i,
    'The target is a directory in the sandbox: end the target with / to put the file in it.',
  ],
  [
    PERMISSION_DENIED,
    'Set username to a user who may write there, or give the files another target.',
  ],
  [/read-only file system/i, 'Nothing can be stored at this target. Choose another.'],
  [/text file busy/i, 'The sandbox is running this file. Stop it, or upload to another target.'],
  [/file name too long/i, 'A name may have 255 bytes. Give the file a shorter target.'],
  [
    /cloudflare|firewall|captcha|been blocked|access denied by/i,
    'Something before the service refuses the request. Let requests of this runner through there.',
  ],
];

const HINTS_BY_STATUS: Readonly<Record<number, string>> = {
  402: 'The service wants to be paid, or a quota is used up: look into your account there.',
  414: "The URL is too long: shorten the file's target.",
  431: 'The headers are too long: shorten token, sandbox-id or headers.',
};

/** What a status other than 200 and 201 means. `now` is in milliseconds since 1970. */
export function statusFailure(answer: Answer, redact: Redact, now: number): AgentError {
  const { label, status, retryAfter, location } = answer;
  const words = wordsOf(answer.text, redact);
  const reason = STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`;
  const destination = isRedirect(status) ? destinationOf(location, redact) : '';
  const quoted = words === '' ? '' : ` It said: ${JSON.stringify(words)}.`;
  return new AgentError(
    kindOf(status, words),
    `${label} answered ${status}${reason}${destination}.${quoted}`,
    {
      status,
      retryAfterMs: parseRetryAfter(retryAfter, now),
      hint: hintOn(status, words),
    },
  );
}

/** Milliseconds that a Retry-After header asks for (RFC 9110, section 10.2.3), at most a minute. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const isSeconds = /^\d+$/.test(value.trim());
  const ms = isSeconds ? Number(value) * 1000 : Date.parse(value) - now;
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}

function kindOf(status: number, words: string): FailureKind {
  const rule = RULES.find(each => each.statuses.includes(status) && each.words.test(words));
  if (rule !== undefined) return rule.kind;
  if (isRedirect(status)) return 'redirected';
  return KINDS[status] ?? (status >= 400 ? 'rejected' : 'bad-answer');
}

function hintOn(status: number, words: string): string | undefined {
  // In a 401 or 403, "permission denied" is about the token, not a file.
  const isAboutToken = status === 401 || status === 403;
  const patterns = HINTS.filter(([pattern]) => !isAboutToken || pattern !== PERMISSION_DENIED);
  const hint = patterns.find(([pattern]) => pattern.test(words))?.[1] ?? HINTS_BY_STATUS[status];
  if (hint === undefined && status >= 520) return 'Check port, and that the service is up.';
  return hint;
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Host and path; a query may hold a secret of somebody else. */
function destinationOf(location: string | undefined, redact: Redact): string {
  const url = location === undefined ? null : URL.parse(location, 'http://same-host');
  if (url === null) return '';
  const host = url.host === 'same-host' ? '' : url.host;
  return `, which leads to ${redact(`${host}${url.pathname}`).slice(0, 200)}`;
}
