import type { Context } from '../agent/context.ts';
import { AgentError } from '../agent/failure.ts';
import type { JobSandbox } from '../inputs/connection.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatDuration } from '../text/format.ts';
import {
  connectToSandbox,
  createSandbox,
  deleteSandbox,
  openApi,
  type Sandbox,
  type SandboxApi,
} from './sandbox-api.ts';

export type RunningSandbox = Pick<JobSandbox, 'id' | 'endsAt'>;

/**
 * Creates a sandbox, or connects to an existing one. If the post step is to delete it, calls
 * `scheduleDeletion` before a failure could leave it running. `baseUrl` is empty if the domain
 * is unknown.
 */
export async function createOrConnect(
  inputs: Inputs<'sandbox'>,
  context: Context,
  scheduleDeletion: (sandbox: RunningSandbox) => void,
): Promise<JobSandbox & Pick<Sandbox, 'domain'>> {
  const { template, apiUrl } = inputs;
  const { log, cancel } = context;
  await using api = openApi(inputs, context, cancel);
  const open = template === '' ? connect : create;
  const opened = await open(api, inputs, context, scheduleDeletion);
  const { id, token, endsAt } = opened;
  const domain = domainOf(opened, apiUrl);
  const baseUrl = baseUrlOf(domain, apiUrl);
  if (token === undefined) throw noTokenError(id);
  if (baseUrl === '')
    log.warning(
      'The service names no domain, so later steps need the inputs sandbox-id, token and base-url.',
    );
  else log.line(`Its URL: ${baseUrl.replace('{sandbox-id}', id)}`);
  return { id, token, domain, baseUrl, endsAt };
}

export async function deleteAtEnd(
  id: string,
  inputs: Inputs<'sandbox-end'>,
  context: Context,
): Promise<void> {
  // A cancelled job must still delete its sandbox, so do not stop until the runner is about to kill
  // the process.
  await using api = openApi(inputs, context, context.killImminent);
  const wasThere = await deleteSandbox(api, id);
  context.log.line(wasThere ? `Deleted sandbox ${id}` : `Sandbox ${id} was already gone`);
}

export function notDeletedWarning({ id, endsAt }: RunningSandbox): string {
  return `Sandbox ${id} could not be deleted. It ends by itself at ${new Date(endsAt).toUTCString()}, unless its lifetime was extended.`;
}

export function domainOf({ domain }: Pick<Sandbox, 'domain'>, apiUrl: string): string | undefined {
  return domain ?? /^api\.(.+)$/.exec(new URL(apiUrl).host)?.[1];
}

// E2B gives each port of a sandbox a host name (https://e2b.dev/docs/network/public-url), so
// the URL contains placeholders.
function baseUrlOf(domain: string | undefined, apiUrl: string): string {
  // Only local test servers use http. They have one address and route by header.
  if (apiUrl.startsWith('http:')) return apiUrl;
  return domain === undefined ? '' : `https://{port}-{sandbox-id}.${domain}`;
}

async function create(
  api: SandboxApi,
  inputs: Inputs<'sandbox'>,
  { now, log }: Context,
  scheduleDeletion: (sandbox: RunningSandbox) => void,
): Promise<Sandbox & RunningSandbox> {
  const { template, lifetime, metadata } = inputs;
  const created = await createSandbox(api, inputs, () =>
    log.warning(maybeCreatedWarning(metadata, now() + lifetime)),
  );
  const { id } = created;
  const sandbox = { ...created, endsAt: now() + lifetime };
  try {
    if (inputs.delete ?? true) scheduleDeletion(sandbox);
  } catch (error) {
    // The post step won't know about this sandbox, so delete it now.
    await deleteSandbox(api, id).catch(() => log.warning(notDeletedWarning(sandbox)));
    throw error;
  }
  log.line(`Created sandbox ${id} from ${template}, for ${formatDuration(lifetime)}`);
  return sandbox;
}

async function connect(
  api: SandboxApi,
  { sandboxId: id, lifetime, delete: shouldDelete = false }: Inputs<'sandbox'>,
  { now, log }: Context,
  scheduleDeletion: (sandbox: RunningSandbox) => void,
): Promise<Sandbox & RunningSandbox> {
  const endsAt = now() + lifetime;
  // Schedule the deletion first: if connecting fails, the sandbox may still be running.
  if (shouldDelete) scheduleDeletion({ id, endsAt });
  const sandbox = await connectToSandbox(api, id, lifetime);
  log.line(`Connected to sandbox ${id}, for at least ${formatDuration(lifetime)}`);
  return { ...sandbox, endsAt };
}

function maybeCreatedWarning(metadata: Inputs<'sandbox'>['metadata'], endsAt: number): string {
  const entries = Object.entries(metadata).map(([key, value]) => `${key}=${value}`);
  return `An attempt that failed may have created a sandbox that nobody deletes. Look for one with the metadata ${entries.join(', ')}. It ends by itself at ${new Date(endsAt).toUTCString()}.`;
}

function noTokenError(id: string): AgentError {
  const hint =
    'Nothing can be sent to it without one. Its template may be too old for `secure`: build it again, or use another.';
  return new AgentError('bad-response', `The service returned no token for sandbox ${id}.`, {
    hint,
  });
}
