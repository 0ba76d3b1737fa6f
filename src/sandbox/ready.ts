import { openClient } from '../agent/client.ts';
import { AgentError } from '../agent/failure.ts';
import { DEFAULT_PORT, STATS_PATH } from '../inputs/base-url.ts';
import { waitUntil } from '../stats/sample.ts';
import { readStats } from '../stats/stats.ts';
import type { SandboxContext } from './context.ts';

/** Where to find the agent of a sandbox. */
export interface AgentAddress {
  readonly id: string;
  readonly token: string;
  readonly url: string;
}

/** The URL of a sandbox's agent in a service that has its API at `api.` before its domain. */
export function agentUrl(
  id: string,
  domain: string | undefined,
  apiUrl: string,
): string | undefined {
  const host = domain ?? /^api\.(.+)$/.exec(new URL(apiUrl).host)?.[1];
  // Other IDs do not fit into a host name.
  if (host === undefined || !/^[\w-]{1,57}$/.test(id)) return undefined;
  return URL.parse(`https://${DEFAULT_PORT}-${id}.${host}`)?.origin;
}

const PATIENCE = { timeoutMs: 60_000, intervalMs: 1000, mayMend, onSample: () => {} };
const ATTEMPT_MS = 10_000;

/** Waits up to a minute for a sandbox's agent to answer. @throws AgentError if it does not */
export async function waitForAgent(
  { id, token, url }: AgentAddress,
  { cancel, now, sleep }: SandboxContext,
): Promise<void> {
  const connection = {
    sandboxId: id,
    token,
    baseUrl: url,
    port: DEFAULT_PORT,
    headerPrefix: 'E2b',
    headers: {},
    timeout: ATTEMPT_MS,
  };
  const client = openClient(connection, { cancel, now });
  const read = () => readStats(client, STATS_PATH, new Set());
  try {
    const { error } = await waitUntil([], read, PATIENCE, {
      sleep,
      stop: cancel,
      clock: () => performance.now(),
    });
    if (error !== undefined && !hasAnswered(error)) throw notReady(error);
  } finally {
    await client.close();
  }
}

/** A sandbox that was just created may not be known everywhere yet. */
function mayMend({ kind, isRetryable }: AgentError): boolean {
  return isRetryable || kind === 'sandbox-not-found';
}

/** Whether an error is the answer of an agent that is up; the step that needs more says so. */
function hasAnswered(error: AgentError): boolean {
  return error.status !== undefined && !mayMend(error);
}

function notReady({ kind, message, status, cause }: AgentError): AgentError {
  const hint =
    "Run the job again. If the sandbox's agent is reached at another address, set wait: false.";
  return new AgentError(kind, `The agent does not answer: ${message}`, { status, hint, cause });
}
