import { AgentError } from '../agent/failure.ts';
import { E2B_DOMAINS, fillPlaceholders, type JobSandbox } from '../inputs/connection.ts';
import type { Context } from '../inputs/context.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { findMistake } from '../inputs/mistakes.ts';
import { quote } from '../text/escape.ts';
import { formatDuration } from '../text/format.ts';
import {
  connectToSandbox,
  createSandbox,
  deleteSandbox,
  findSandboxIds,
  openApi,
  type Sandbox,
  type SandboxApi,
} from './sandbox-api.ts';

/** What the post step has to know. */
export interface Cleanup {
  readonly id?: string | undefined;
  readonly endsAt: number;
  /** False if the sandbox was connected to, so that it may live longer. */
  readonly isCreated: boolean;
  /** The `sandbox-sync-id` of a creation whose response is awaited or was lost. */
  readonly unconfirmedCreation?: string | undefined;
}

export const SYNC_ID = 'sandbox-sync-id';

const NO_TOKEN =
  'Nothing can be sent to it without one. Its template may be too old for `secure`: build it again, or use another.';

/**
 * Creates a sandbox, connects to one, or takes one over. Calls `save` before a failure could leave
 * behind what the post step does not know. `baseUrl` is empty if the domain is unknown.
 */
export async function openSandbox(
  inputs: Inputs<'sandbox'>,
  context: Context,
  save: (cleanup: Cleanup) => void,
): Promise<JobSandbox & Pick<Sandbox, 'domain'>> {
  const { template, sandboxId, baseUrl: givenUrl, headerPrefix, apiUrl } = inputs;
  const { log, cancel } = context;
  if (inputs.token !== '') {
    log.line(`Took over sandbox ${sandboxId}`);
    const taken = { id: sandboxId, token: inputs.token, baseUrl: givenUrl, headerPrefix };
    return { ...taken, domain: undefined, endsAt: undefined };
  }
  await using api = openApi(inputs, context, cancel);
  const open = template === '' ? connect : create;
  const opened = await open(api, inputs, context, save);
  const { id, domain: apiDomain, endsAt } = opened;
  // The post step knows the sandbox by now, so it is deleted even if these throw.
  const token = requireToken(opened);
  checkDomain(opened);
  const { domain, baseUrl: defaultUrl } = addressOf(apiDomain, apiUrl);
  const baseUrl = givenUrl || defaultUrl;
  if (baseUrl === '')
    log.warning('The service names no domain. Set base-url, so that later steps find the sandbox.');
  else
    log.line(`Its URL: ${fillPlaceholders({ 'sandbox-id': id, 'base-url': baseUrl })['base-url']}`);
  return { id, token, domain, baseUrl, headerPrefix, endsAt };
}

function requireToken({ id, token }: Sandbox): string {
  if (token !== undefined && findMistake('token', token) === undefined) return token;
  throw new AgentError('bad-response', `No usable token for sandbox ${id}.`, { hint: NO_TOKEN });
}

function checkDomain({ id, domain }: Sandbox): void {
  if (domain === undefined || /^[a-z\d.-]+(:\d+)?$/i.test(domain)) return;
  const message = `The API names ${quote(domain)} as the domain of sandbox ${id}.`;
  throw new AgentError('bad-response', message, { hint: 'Check api-url.' });
}

export async function deleteAtEnd(
  id: string,
  inputs: Inputs<'sandbox-end'>,
  context: Context,
): Promise<void> {
  // A cancelled job must still delete its sandbox, so do not stop until the runner is about to kill
  // the process.
  await using api = openApi(inputs, context, context.killImminent);
  await deleteSandbox(api, id, context.log);
}

/** Deletes what an unconfirmed creation has left, but not the sandbox of a later attempt. */
export async function deleteUnconfirmed(
  { id: created, unconfirmedCreation = '' }: Cleanup,
  inputs: Inputs<'sandbox-end'>,
  context: Context,
): Promise<void> {
  await using api = openApi(inputs, context, context.killImminent);
  const found = await findSandboxIds(api, SYNC_ID, unconfirmedCreation);
  // If the job ends right after the creation, the service may still be starting the sandbox.
  if (found.length === 0 && created === undefined)
    throw new AgentError('not-found', 'The service does not list it yet.', { hint: '' });
  for (const id of found.filter(each => each !== created)) {
    context.log.line(`A failed attempt had created sandbox ${id}`);
    await deleteSandbox(api, id, context.log);
  }
}

export function describeExpiry({ endsAt, isCreated }: Cleanup): string {
  const time = new Date(endsAt).toUTCString();
  return isCreated
    ? `It ends by itself at ${time}, unless its lifetime was extended.`
    : `It lives at least until ${time}, perhaps longer.`;
}

/** `apiDomain` is what the API's response says, if anything. */
export function addressOf(apiDomain: string | undefined, apiUrl: string) {
  const domain = apiDomain ?? /^api\.(.+)$/.exec(new URL(apiUrl).host)?.[1];
  // Only local test servers use http. They have one address and route by header.
  if (apiUrl.startsWith('http:')) return { domain, baseUrl: apiUrl };
  if (domain === undefined) return { domain, baseUrl: '' };
  // Elsewhere, each port of a sandbox has a host.
  const host = E2B_DOMAINS.includes(domain) ? 'sandbox' : '{port}-{sandbox-id}';
  return { domain, baseUrl: `https://${host}.${domain}` };
}

type OpenedSandbox = Sandbox & Pick<JobSandbox, 'endsAt'>;

async function create(
  api: SandboxApi,
  inputs: Inputs<'sandbox'>,
  { now, log }: Context,
  save: (cleanup: Cleanup) => void,
): Promise<OpenedSandbox> {
  const { template, lifetime, metadata } = inputs;
  const syncId = metadata[SYNC_ID];
  const endsAt = now() + lifetime;
  // Save this first: if the process is killed, the post step must look for the sandbox.
  save({ isCreated: true, endsAt, unconfirmedCreation: syncId });
  let unconfirmedCreation: string | undefined;
  let created: Sandbox | undefined;
  try {
    created = await createSandbox(api, inputs, () => (unconfirmedCreation = syncId));
    log.line(`Created sandbox ${created.id} from ${template}, for ${formatDuration(lifetime)}`);
    return { ...created, endsAt };
  } finally {
    save({ id: created?.id, isCreated: true, endsAt: now() + lifetime, unconfirmedCreation });
  }
}

const HOUR_MS = 3_600_000;

async function connect(
  api: SandboxApi,
  { sandboxId: id, lifetime }: Inputs<'sandbox'>,
  { now, log }: Context,
  save: (cleanup: Cleanup) => void,
): Promise<OpenedSandbox> {
  // Save this first: if connecting fails, the sandbox may still be running.
  save({ id, isCreated: false, endsAt: now() + lifetime });
  const sandbox = await connectToSandbox(api, id, lifetime);
  log.line(`Connected to sandbox ${id}, for at least ${formatDuration(lifetime)}`);
  // It may live longer, so this only counts if it lets `run` take more than its default.
  return { ...sandbox, endsAt: lifetime > HOUR_MS ? now() + lifetime : undefined };
}
