import { isJson } from '../text/json.ts';
import { AgentError } from './failure.ts';

export interface Answer {
  /** Method and URL without the query, which may contain a signature. */
  readonly label: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

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
  // A server that cut its answer short has still created what 201 says.
  const hadNoEffect = isFromProxy(answer) && status !== 201;
  return new AgentError('bad-answer', message, { status, hadNoEffect });
}

/** Returns true if a proxy or a website seems to have answered: not in JSON, but not empty. */
export function isFromProxy({ text }: Answer): boolean {
  return text.trim() !== '' && !isJson(text);
}
