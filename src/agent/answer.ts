import { fieldsOf, isJson, parseFields } from '../text/json.ts';
import { type Redact, redactJson } from '../text/redact.ts';
import { AgentError, excerpt, type FailureKind, type Hints } from './failure.ts';

// Importing node:http would also load Node's own undici, which costs 12 MiB and 10 ms.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

export interface Answer {
  /** Method and URL without the query, which may contain a signature. */
  readonly label: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** An answer whose body is still arriving. */
export interface StreamedAnswer extends Omit<Answer, 'text'> {
  readonly chunks: AsyncIterable<Buffer>;
}

// E2B's agent answers with a few hundred bytes.
export const MAX_ANSWER_BYTES = 128 * 1024;

/** @throws AgentError if the body is longer than `maxBytes` */
export async function readAnswer(
  { chunks: arriving, ...answer }: StreamedAnswer,
  maxBytes = MAX_ANSWER_BYTES,
): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of arriving) {
    size += chunk.length;
    if (size > maxBytes) {
      const { label, status } = answer;
      const message = `${label} answered ${status} with more than ${Math.floor(maxBytes / 1024)} KiB.`;
      throw new AgentError('bad-answer', message, { status });
    }
    chunks.push(chunk);
  }
  return { ...answer, text: new TextDecoder().decode(Buffer.concat(chunks)) };
}

/** Parses an answer without redacting it. @throws AgentError if it is not JSON */
export function parseAnswer(answer: Answer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    throw badAnswer(answer, 'it is not JSON');
  }
}

/** Builds the error for a 2xx answer that breaks the contract; `why` ends its message. */
export function badAnswer(answer: Answer, why: string): AgentError {
  const { label, status } = answer;
  const message = `${label} answered ${status} with an unusable answer: ${why}.`;
  return new AgentError('bad-answer', message, { status, isFromProxy: isFromProxy(answer) });
}

/**
 * Returns true if the body is neither empty nor JSON, so a proxy or a website probably wrote it.
 */
export function isFromProxy({ text }: Answer): boolean {
  return text.trim() !== '' && !isJson(text);
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

interface Phrase {
  readonly statuses: readonly number[];
  readonly words: RegExp;
  readonly kind: FailureKind;
  readonly hint?: string;
}

// The text of some answers is more precise than their status.
const ERROR_PHRASES: readonly Phrase[] = [
  // E2B's agent answers downloads with these (packages/envd/internal/api/download.go). They come
  // first, since the path that they quote may match a later phrase.
  { statuses: [404], words: /^path '.*' does not exist$/, kind: 'no-such-file' },
  {
    statuses: [400],
    words: /^path '.*' is a directory$/,
    kind: 'rejected',
    hint: 'Only files can be downloaded. Pack the folder into an archive in the sandbox, and download that.',
  },
  {
    // Most services use these words for a missing sandbox. The ID must be quoted or contain a
    // digit, so that "sandbox route not found" does not match.
    statuses: [404, 502],
    words:
      /\bsandbox(?: id)?(?: \S*[\d"'`]\S*)? (?:(?:was |is )?not found|could not be found|does(?:n't| not) exist)/i,
    kind: 'sandbox-not-found',
  },
  {
    // E2B's agent required a username before 0.4.0. Templates built since October 2025 have a newer
    // one (e2b-dev/infra#1349).
    statuses: [400, 401],
    words:
      /\busername (?:is required|not provided)|\b(?:unknown|invalid) user|\blooking up user|\buser:? \S+ (?:was )?not found/i,
    kind: 'unauthorized',
    hint: 'Set username: user, or another user of the sandbox.',
  },
  {
    // Any request resumes a paused E2B sandbox, which may exceed the account's limit.
    statuses: [429],
    words: /\bsandbox limit\b|\bconcurrent (?:\w+ )?sandboxes\b/i,
    kind: 'busy',
    hint: 'The sandbox cannot resume: the account already runs as many as it may. Delete some, or raise its limit.',
  },
  {
    // E2B's agent answers 400 for a target that is a folder, and 500 for one below a file.
    statuses: [400, 500],
    words: /\bis a directory\b|\bpath is a file\b|\bnot a directory\b/i,
    kind: 'rejected',
    hint: 'Choose another target, or remove in the sandbox what is in the way.',
  },
  {
    statuses: [400],
    words: /\binvalid host\b/i,
    kind: 'rejected',
    hint: 'Check base-url and header-prefix: they lead to no sandbox. At E2B, base-url is https://{port}-{sandbox-id}.e2b.app.',
  },
];

/** Converts an unsuccessful answer to an AgentError; `now` is Unix time in milliseconds. */
export function statusFailure(
  answer: Answer,
  redact: Redact,
  now: number,
  hints: Hints = {},
): AgentError {
  const { label, status, headers, text } = answer;
  const [retryAfter] = [headers['retry-after']].flat();
  const [location = ''] = [headers['location']].flat();
  const isRedirect = status >= 300 && status < 400;
  const words = isRedirect ? '' : excerpt(messageIn(text, redact), redact);
  const phrase = ERROR_PHRASES.find(
    each => each.statuses.includes(status) && each.words.test(words),
  );
  const reason = STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`;
  const quoted = words === '' ? '' : ` It said: ${JSON.stringify(words)}.`;
  // Drop the rest of the location, which may contain a token. Redact before URL.parse(), which
  // lowercases the host.
  const origin = /^https?:/i.test(location) ? URL.parse(redact(location))?.origin : undefined;
  const leadsTo = origin === undefined ? '' : ` It leads to ${excerpt(origin, redact)}.`;
  const detail = isRedirect ? `${leadsTo} Redirects are not followed.` : quoted;
  const { error_code: code } = parseFields(text);
  const message = `${label} answered ${status}${reason}.${detail}`;
  const kind = phrase?.kind ?? kindOf(status);
  return new AgentError(kind, message, {
    status,
    retryAfterMs: parseRetryAfter(retryAfter, now),
    code: typeof code === 'string' ? code : undefined,
    hint: phrase?.hint ?? (isRedirect ? REDIRECT_HINT : hints[kind]),
    isFromProxy: isFromProxy(answer),
  });
}

const REDIRECT_HINT = 'Change base-url: it must lead to the agent without a redirect.';

const MAX_RETRY_AFTER_MS = 60_000;

/** Parses a Retry-After header (RFC 9110, section 10.2.3) to milliseconds, capped at a minute. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const isSeconds = /^\d+$/.test(value.trim());
  const ms = isSeconds ? Number(value) * 1000 : Date.parse(value) - now;
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}

function kindOf(status: number): FailureKind {
  const kind = KINDS[status];
  if (kind !== undefined) return kind;
  if (status < 300) return 'bad-answer';
  if (status < 400) return 'not-found';
  return status < 500 ? 'rejected' : 'server';
}

function messageIn(text: string, redact: Redact): string {
  // Ignore titles with markup or entities: redaction might not find a secret in them.
  if (/^\s*</.test(text)) return /<title>([^<&]*)<\/title>/i.exec(text)?.[1] ?? '';
  const json = redactJson(text, redact);
  if (json === '') return text;
  const body: unknown = JSON.parse(json);
  const { message, error } = fieldsOf(body);
  return [body, message, error].find(each => typeof each === 'string') ?? json;
}
