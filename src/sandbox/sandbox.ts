import type { Context } from '../agent/context.ts';
import { AgentError } from '../agent/failure.ts';
import type { JobSandbox } from '../inputs/connection.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatDuration } from '../text/format.ts';
import {
  connectToSandbox,
  createSandbox,
  deleteSandbox,
  findSandboxes,
  openApi,
  type Sandbox,
  type SandboxApi,
} from './sandbox-api.ts';

/** What the post step deletes, keeps or looks for. */
export interface Leftovers extends Pick<JobSandbox, 'endsAt'> {
  readonly id?: string | undefined;
  /** False if the sandbox was connected to, so that it may live longer. */
  readonly isCreated: boolean;
  /** The `sandbox-sync-id` of a creation whose response is awaited or was lost. */
  readonly lost?: string | undefined;
}

/** The key of metadata that no other creation has. */
export const SYNC_ID = 'sandbox-sync-id';

/**
 * Creates a sandbox, or connects to an existing one. Calls `save` before a failure could leave
 * behind what the post step does not know. `baseUrl` is empty if the domain is unknown.
 */
export async function createOrConnect(
  inputs: Inputs<'sandbox'>,
  context: Context,
  save: (leftovers: Leftovers) => void,
): Promise<JobSandbox & Pick<Sandbox, 'domain'>> {
  const { template, apiUrl } = inputs;
  const { log, cancel } = context;
  await using api = openApi(inputs, context, cancel);
  const open = template === '' ? connect : create;
  const opened = await open(api, inputs, context, save);
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

/** `toDelete` is the `id`, unless that sandbox is to be kept. */
type AtEnd = Leftovers & { readonly toDelete: string | undefined };

export async function deleteAtEnd(
  { toDelete, ...left }: AtEnd,
  inputs: Inputs<'sandbox-end'>,
  context: Context,
): Promise<void> {
  const { log, killImminent } = context;
  // A cancelled job must still delete its sandbox, so do not stop until the runner is about to kill
  // the process.
  await using api = openApi(inputs, context, killImminent);
  if (toDelete !== undefined) {
    const wasThere = await deleteSandbox(api, toDelete);
    log.line(wasThere ? `Deleted sandbox ${toDelete}` : `Sandbox ${toDelete} was already gone`);
  }
  await deleteLost(api, left, log).catch((error: unknown) => {
    if (!(error instanceof AgentError)) throw error;
    log.warning(`${notDeletedWarning({ ...left, toDelete: undefined })} ${error.message}`);
  });
}

/** Deletes what a lost creation has left, but not the known sandbox. */
async function deleteLost(
  api: SandboxApi,
  { id, lost, ...others }: Leftovers,
  log: Context['log'],
): Promise<void> {
  if (lost === undefined) return;
  const found = await findSandboxes(api, SYNC_ID, lost);
  // If the job ends right after the creation, the service may still be starting the sandbox.
  if (found.length === 0 && id === undefined)
    log.warning(notDeletedWarning({ ...others, lost, toDelete: undefined }));
  for (const each of found.filter(each => each !== id)) {
    await deleteSandbox(api, each);
    log.line(`Deleted sandbox ${each}, which a failed attempt had created`);
  }
}

export function notDeletedWarning({ toDelete, lost, ...sandbox }: AtEnd): string {
  const known = toDelete && `Sandbox ${toDelete} could not be deleted.`;
  const unknown =
    lost && `A failed attempt may have created a sandbox, with the metadata ${SYNC_ID}=${lost}.`;
  return [known, unknown, describeEnd(sandbox)].filter(Boolean).join(' ');
}

export function describeEnd({ endsAt, isCreated }: Leftovers): string {
  const time = new Date(endsAt).toUTCString();
  return isCreated
    ? `It ends by itself at ${time}, unless its lifetime was extended.`
    : `It lives at least until ${time}, perhaps longer.`;
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
  save: (leftovers: Leftovers) => void,
): Promise<Sandbox & Leftovers> {
  const { template, lifetime, metadata } = inputs;
  const left = { isCreated: true, endsAt: now() + lifetime, lost: metadata[SYNC_ID] };
  // Save this first: if the process is killed, the post step must look for the sandbox.
  save(left);
  let lost: string | undefined;
  let created: Sandbox | undefined;
  try {
    created = await createSandbox(api, inputs, () => (lost = left.lost));
    log.line(`Created sandbox ${created.id} from ${template}, for ${formatDuration(lifetime)}`);
    return { ...left, ...created };
  } finally {
    save({ ...left, id: created?.id, endsAt: now() + lifetime, lost });
  }
}

async function connect(
  api: SandboxApi,
  { sandboxId: id, lifetime }: Inputs<'sandbox'>,
  { now, log }: Context,
  save: (leftovers: Leftovers) => void,
): Promise<Sandbox & Leftovers> {
  const left = { id, isCreated: false, endsAt: now() + lifetime };
  // Save this first: if connecting fails, the sandbox may still be running.
  save(left);
  const sandbox = await connectToSandbox(api, id, lifetime);
  log.line(`Connected to sandbox ${id}, for at least ${formatDuration(lifetime)}`);
  return { ...left, ...sandbox };
}

function noTokenError(id: string): AgentError {
  const hint =
    'Nothing can be sent to it without one. Its template may be too old for `secure`: build it again, or use another.';
  return new AgentError('bad-response', `The service returned no token for sandbox ${id}.`, {
    hint,
  });
}
