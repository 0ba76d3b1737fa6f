import { statusFailure } from '../../src/agent/answer.ts';
import type { HttpAnswer } from '../../src/agent/exchange.ts';
import type { AgentError } from '../../src/agent/failure.ts';

export const NOW = Date.parse('2026-11-20T10:00:00Z');

/** Takes out nothing. */
export function asIs(text: string): string {
  return text;
}

/** What an answer of a status means. */
export function failureOf(status: number, text = '', more: Partial<HttpAnswer> = {}): AgentError {
  const tried = 'POST https://sandbox.example.com/files';
  const answer = { tried, status, text, retryAfter: undefined, sentWhole: true, ...more };
  return statusFailure(answer, asIs, NOW);
}
