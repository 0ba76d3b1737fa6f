import { fieldsOf, parseFields } from '../text/json.ts';
import type { Redact } from '../text/redact.ts';
import { AgentError, excerpt, type FailureKind } from './failure.ts';

// A frame of the Connect protocol has one byte of flags, four bytes with the length of the rest,
// and JSON (https://connectrpc.com/docs/protocol).
const HEADER_BYTES = 5;
const END_OF_STREAM = 2;

// E2B's agent sends at most 32 KiB of output in a frame, as base64.
const MAX_FRAME_BYTES = 1024 * 1024;

interface Frame {
  readonly isLast: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
}

export function frameOf(message: object): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(json.length, 1);
  return Buffer.concat([header, json]);
}

/** Yields whole frames and drops a truncated last one. @throws AgentError if a frame is too long */
export async function* readFrames(
  chunks: AsyncIterable<Buffer>,
  label: string,
): AsyncGenerator<Frame> {
  let unread: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    while (unread.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + unread.readUInt32BE(1);
      if (end > MAX_FRAME_BYTES)
        throw new AgentError('bad-answer', `${label} answered with something other than frames.`, {
          status: 200,
        });
      if (unread.length < end) break;
      const fields = parseFields(unread.toString('utf8', HEADER_BYTES, end));
      yield { isLast: unread[0] === END_OF_STREAM, fields };
      unread = unread.subarray(end);
    }
  }
}

interface ErrorMeaning {
  readonly kind: FailureKind;
  readonly hint?: string;
}

// Codes of https://connectrpc.com/docs/protocol#error-codes, as E2B's agent uses them.
const MEANINGS = new Map<string, ErrorMeaning>(
  Object.entries({
    unauthenticated: {
      kind: 'unauthorized',
      hint: 'Check username: it must be a user of the sandbox.',
    },
    invalid_argument: {
      kind: 'rejected',
      hint: 'Check that working-directory exists in the sandbox, and that the user may enter it. A script must be shorter than 128 KiB.',
    },
    not_found: {
      kind: 'rejected',
      hint: 'It may have ended while the connection was lost, or the sandbox may have been restarted.',
    },
    unavailable: { kind: 'busy' },
    resource_exhausted: { kind: 'busy' },
  }),
);

/** Converts the error in the last frame of a stream, if there is one. */
export function errorOf({ fields }: Frame, label: string, redact: Redact): AgentError | undefined {
  if (fields['error'] === undefined) return undefined;
  const { code, message } = fieldsOf(fields['error']);
  const name = String(code);
  const { kind, hint }: ErrorMeaning = MEANINGS.get(name) ?? { kind: 'server' };
  const all = typeof message === 'string' ? message : '';
  // E2B's agent quotes the whole command before the cause.
  const words = excerpt(all.replace(/^error starting process '.*': /s, ''), redact);
  const text = `${label} failed (${excerpt(name, redact)}). It said: ${JSON.stringify(words)}.`;
  return new AgentError(kind, text, { hint, status: 200 });
}
