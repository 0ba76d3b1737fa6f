import { AgentError } from '../agent/failure.ts';
import { secretsInHeaders } from '../inputs/headers.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatDuration, formatTime } from '../text/format.ts';
import { type Api, openApi, type Sandbox } from './api.ts';
import type { SandboxContext } from './context.ts';
import { mayHaveWorked } from './failure.ts';
import { agentUrl, waitForAgent } from './ready.ts';

/** What the job gets to know. */
export interface Job {
  /** The metadata by which the sandbox can be traced to this job. */
  readonly trace: Readonly<Record<string, string>>;
  /** Tells the post step to delete a sandbox, which otherwise ends by itself. */
  readonly willDelete: (id: string, endsAt: number) => void;
  /** Masks the token, and sets the outputs. */
  readonly publish: (sandbox: Sandbox) => void;
}

/** Creates a sandbox, or connects to one, for a job. @throws AgentError */
export async function getSandbox(
  inputs: Inputs<'sandbox'>,
  context: SandboxContext,
  job: Job,
): Promise<void> {
  const { apiUrl, wait } = inputs;
  const { cancel, log } = context;
  const secrets = secretsInHeaders(Object.entries(inputs.env));
  const api = openApi(inputs, { secrets, stop: cancel }, context);
  try {
    const get = inputs.sandboxId === '' ? create : connect;
    const sandbox = await get(api, inputs, context, job);
    job.publish(sandbox);
    const { id, token, domain } = sandbox;
    if (token === undefined) throw noToken(id);
    if (cancel.aborted) throw cancelled();
    const url = agentUrl(id, domain, apiUrl);
    if (wait && url === undefined) log('The service names no domain, so nothing was waited for.');
    if (wait && url !== undefined) await waitForAgent({ id, token, url }, context);
  } finally {
    await api.close();
  }
}

/** Deletes a sandbox, or warns that it is left. `endsAt` is in milliseconds since 1970. */
export async function deleteSandbox(
  { id, endsAt }: { readonly id: string; readonly endsAt: number },
  inputs: Inputs<'sandbox-end'>,
  context: SandboxContext,
): Promise<void> {
  // Deleting goes on when the job is cancelled, as long as the runner lets it.
  const api = openApi(inputs, { stop: context.lastCall }, context);
  try {
    const wasThere = await api.remove(id);
    context.log(wasThere ? `Deleted sandbox ${id}` : `Sandbox ${id} was already gone`);
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    context.warn(`${leftBehind(id, endsAt)} ${error.message} ${error.hint}`);
  } finally {
    await api.close();
  }
}

/** Says that a sandbox was not deleted, and how long it lives. */
export function leftBehind(id: string, endsAt: number): string {
  return `Sandbox ${id} could not be deleted. It ends by itself at ${formatTime(endsAt)}, unless its lifetime was extended.`;
}

async function create(
  api: Api,
  inputs: Inputs<'sandbox'>,
  { cancel, now, log, warn }: SandboxContext,
  { trace, willDelete }: Job,
): Promise<Sandbox> {
  const { template, lifetime, env } = inputs;
  if (cancel.aborted) throw cancelled();
  const metadata = { ...inputs.metadata, ...trace };
  const seconds = Math.ceil(lifetime / 1000);
  const sandbox = await api
    .create({ template, lifetime: seconds, metadata, env })
    .catch((error: unknown) => {
      if (error instanceof AgentError && mayHaveWorked(error))
        warn(lostSandbox(trace, now() + lifetime));
      throw error;
    });
  if (inputs.delete ?? true)
    try {
      willDelete(sandbox.id, now() + lifetime);
    } catch (error) {
      // Without its post step, nobody would delete the sandbox.
      await api.remove(sandbox.id);
      throw error;
    }
  log(`Created sandbox ${sandbox.id} from ${template}, for ${formatDuration(lifetime)}`);
  return sandbox;
}

async function connect(
  api: Api,
  inputs: Inputs<'sandbox'>,
  { now, log }: SandboxContext,
  { willDelete }: Job,
): Promise<Sandbox> {
  const { sandboxId, lifetime } = inputs;
  // Before connecting, so that it is deleted even if that fails.
  if (inputs.delete ?? false) willDelete(sandboxId, now() + lifetime);
  const sandbox = await api.connect(sandboxId, Math.ceil(lifetime / 1000));
  log(`Connected to sandbox ${sandboxId}, for at least ${formatDuration(lifetime)}`);
  return sandbox;
}

function lostSandbox(trace: Job['trace'], endsAt: number): string {
  const metadata = Object.entries(trace).map(([key, value]) => `${key}=${value}`);
  return `The answer was lost, so a sandbox may have been created that nobody deletes. Look for one with the metadata ${metadata.join(', ')}. It ends by itself at ${formatTime(endsAt)}.`;
}

function noToken(id: string): AgentError {
  const hint =
    'Nothing can be sent to it without one. Its template may be too old for `secure`: build the template again, or use another one.';
  return new AgentError('bad-answer', `The service returned no token for sandbox ${id}.`, { hint });
}

function cancelled(): AgentError {
  return new AgentError('cancelled', 'The job was cancelled.');
}
