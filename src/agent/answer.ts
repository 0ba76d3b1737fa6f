import type { Redact } from '../text/redact.ts';
import { fieldsOf, parseFields } from '../text/unknown.ts';
import { truncate } from '../text/visible.ts';
import { AgentError, type FailureKind } from './failure.ts';

// An import would load the whole of node:http, at 12 MiB and 10 ms.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

export interface Answer {
  /** The method and the URL of its request, without the query, which may hold a signature. */
  readonly label: string;
  readonly status: number;
  /** The body as text, without a byte order mark. */
  readonly text: string;
  readonly retryAfter: string | undefined;
}

interface Response {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Buffer>;
}

/** @throws AgentError if the body is longer than `maxBytes` */
export async function readAnswer(
  { statusCode: status, headers, body }: Response,
  label: string,
  maxBytes: number,
): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) {
      const message = `${label} answered ${status} with more than ${Math.floor(maxBytes / 1024)} KiB.`;
      throw new AgentError('bad-answer', message, { status });
    }
    chunks.push(chunk);
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks));
  return { label, status, text, retryAfter: [headers['retry-after']].flat()[0] };
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
  501: 'rejected',
  503: 'busy',
  505: 'rejected',
  507: 'disk-full',
};

// Most services answer so if the sandbox is gone. An ID is quoted or has a digit:
// "sandbox route not found" is about something else.
const SANDBOX_GONE =
  /\bsandbox(?: id)?(?: \S*[\d"'`]\S*)? (?:(?:was |is )?not found|could not be found|does(?:n't| not) exist)/i;

/** Answers whose words say better than their status what to do. */
const ADVICE: readonly Advice[] = [
  {
    // Agents in templates of E2B older than October 2025 need a user name.
    statuses: [400, 401],
    words:
      /\busername (?:is required|not provided)|\b(?:unknown|invalid) user|\blooking up user|\buser:? \S+ (?:was )?not found/i,
    kind: 'unauthorized',
    hint: 'Set username: user, or another user of the sandbox.',
  },
  {
    // E2B resumes a paused sandbox when it gets a request.
    statuses: [429],
    words: /\bsandbox limit\b|\bconcurrent (?:\w+ )?sandboxes\b/i,
    kind: 'busy',
    hint: 'The sandbox cannot resume: the account already runs as many as it may. Delete some, or raise its limit.',
  },
  {
    statuses: [400],
    words: /\binvalid host\b/i,
    kind: 'rejected',
    hint: 'Check base-url and header-prefix: they lead to no sandbox. At E2B, base-url is https://{port}-{sandbox-id}.e2b.app.',
  },
];

interface Advice {
  readonly statuses: readonly number[];
  readonly words: RegExp;
  readonly kind: FailureKind;
  readonly hint: string;
}

/** Converts an unsuccessful answer to an error. `now` is in milliseconds since 1970. */
export function statusFailure(answer: Answer, redact: Redact, now: number): AgentError {
  const { label, status, retryAfter } = answer;
  const reason = STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`;
  const isRedirect = status >= 300 && status < 400;
  const words = isRedirect ? '' : wordsOf(answer.text, redact);
  const quoted = words === '' ? '' : ` It said: ${JSON.stringify(words)}.`;
  const more = isRedirect ? ' Redirects are not followed.' : quoted;
  const advice = ADVICE.find(each => each.statuses.includes(status) && each.words.test(words));
  const kind = advice?.kind ?? kindOf(status, words);
  const retryAfterMs = parseRetryAfter(retryAfter, now);
  const message = `${label} answered ${status}${reason}.${more}`;
  const { error_code: code } = parseFields(answer.text);
  return new AgentError(kind, message, {
    status,
    retryAfterMs,
    hint: advice?.hint,
    code: typeof code === 'string' ? code : undefined,
  });
}

const MAX_RETRY_AFTER_MS = 60_000;

/** Milliseconds that a Retry-After header asks for (RFC 9110, section 10.2.3), at most a minute. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const isSeconds = /^\d+$/.test(value.trim());
  const ms = isSeconds ? Number(value) * 1000 : Date.parse(value) - now;
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}

function kindOf(status: number, words: string): FailureKind {
  if ((status === 404 || status === 502) && SANDBOX_GONE.test(words)) return 'sandbox-not-found';
  const known = KINDS[status];
  if (known !== undefined) return known;
  if (status < 300) return 'bad-answer';
  if (status < 400) return 'not-found';
  return status < 500 ? 'rejected' : 'server';
}

const MAX_WORDS = 300;

/** What the service says: the message of its JSON, the title of its page, or its text, in a line. */
function wordsOf(text: string, redact: Redact): string {
  // Redact before cutting, which could leave a part of a secret.
  return truncate(redact(messageIn(text)).replace(/\s+/g, ' ').trim(), MAX_WORDS);
}

function messageIn(text: string): string {
  if (/^\s*</.test(text)) return /<title>([^<]*)/i.exec(text)?.[1] ?? '';
  try {
    const body: unknown = JSON.parse(text);
    const { message, error } = fieldsOf(body);
    const said = [body, message, error].find(each => typeof each === 'string');
    return said ?? JSON.stringify(body);
  } catch {
    return text;
  }
}
