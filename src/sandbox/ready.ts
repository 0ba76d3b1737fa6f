import { openClient } from '../agent/client.ts';
import { AgentError } from '../agent/failure.ts';
import { tryToSample } from '../stats/sample.ts';
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
  const [, ownDomain] = /^api\.(.+)$/.exec(new URL(apiUrl).host) ?? [];
  const host = domain ?? ownDomain;
  // Only what fits into a host name can be part of it.
  const url = /^[\w-]{1,57}$/.test(id) ? URL.parse(`https://49983-${id}.${host}`) : null;
  return host === undefined ? undefined : url?.origin;
}

const PATIENCE_MS = 60_000;
const INTERVAL_MS = 1000;
const ATTEMPT_MS = 10_000;

/** Waits at most a minute for the agent of a sandbox to answer. @throws AgentError if it does not */
export async function waitForAgent(
  { id, token, url }: AgentAddress,
  { cancel, now, sleep }: SandboxContext,
): Promise<void> {
  const connection = {
    sandboxId: id,
    token,
    baseUrl: url,
    allowInsecureHttp: false,
    port: 49_983,
    headerPrefix: 'E2b',
    statsPath: '/metrics',
    headers: {},
    timeout: ATTEMPT_MS,
  };
  const client = openClient(connection, { cancel, now });
  const deadline = now() + PATIENCE_MS;
  try {
    for (;;) {
      const sampled = await tryToSample(() => readStats(client, '/metrics', new Set()));
      if (!(sampled instanceof AgentError) || hasAnswered(sampled)) return;
      const mayMend = sampled.retryable || sampled.kind === 'sandbox-not-found';
      if (!mayMend || now() > deadline || !(await sleep(INTERVAL_MS, cancel)))
        throw notReady(sampled);
    }
  } finally {
    await client.close();
  }
}

/** Whether an error is the answer of an agent that is up; the step that needs more says so. */
function hasAnswered({ kind, status, retryable }: AgentError): boolean {
  return status !== undefined && !retryable && kind !== 'sandbox-not-found';
}

function notReady({ kind, message, status, cause }: AgentError): AgentError {
  const hint =
    kind === 'cancelled'
      ? 'The job was cancelled.'
      : "Run the job again. If the sandbox's agent is reached at another address, set wait: false.";
  return new AgentError(kind, `The agent does not answer: ${message}`, { status, hint, cause });
}
