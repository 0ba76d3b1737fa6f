import { type ClientOptions, openClient } from '../agent/client.ts';
import { AgentError } from '../agent/failure.ts';
import { describeRetry, type Retry, type RetryPolicy } from '../agent/retry.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatDuration } from '../text/format.ts';
import {
  apiService,
  connectToSandbox,
  createSandbox,
  deleteSandbox,
  type Sandbox,
  type SandboxApi,
} from './sandbox-api.ts';

export interface SandboxContext extends ClientOptions, Pick<RetryPolicy, 'sleep' | 'random'> {
  /** Aborts just before the runner kills the process. */
  readonly killImminent: AbortSignal;
  readonly log: {
    readonly line: (text: string) => void;
    readonly warning: (text: string) => void;
  };
}

export interface ScheduledDeletion {
  readonly id: string;
  /** Unix time in milliseconds. */
  readonly endsAt: number;
}

export interface SandboxHooks {
  /** Identifies the job, so that users can find a sandbox whose creation got no answer. */
  readonly jobMetadata: Readonly<Record<string, string>>;
  readonly scheduleDeletion: (deletion: ScheduledDeletion) => void;
  readonly publish: (sandbox: PublishedSandbox) => void;
}

export interface PublishedSandbox extends Sandbox {
  readonly baseUrl: string;
  /** Unix ms; the real end may be later if the lifetime was extended. */
  readonly endsAt: number;
}

/** Creates a sandbox, or connects to an existing one, and publishes it. @throws AgentError */
export async function createOrConnect(
  inputs: Inputs<'sandbox'>,
  context: SandboxContext,
  hooks: SandboxHooks,
): Promise<void> {
  const open = inputs.template === '' ? connect : create;
  for (const [name, value] of Object.entries(inputs.env))
    if (/^(["']).*\1$/.test(value))
      context.log.warning(`env: the value of ${name} is sent with its quotation marks.`);
  const endsAt = context.now() + inputs.lifetime;
  const opened = await withApi(inputs, context, context.cancel, api =>
    open(api, inputs, context, hooks),
  );
  const domain = domainOf(opened, inputs.apiUrl);
  const baseUrl = baseUrlOf(domain, inputs.apiUrl);
  hooks.publish({ ...opened, domain, baseUrl, endsAt });
  if (baseUrl === '')
    context.log.warning(
      'The service names no domain, so later steps need the inputs sandbox-id, token and base-url.',
    );
  else context.log.line(`Its URL: ${baseUrl.replace('{sandbox-id}', opened.id)}`);
  if (opened.token === undefined) throw noTokenError(opened);
}

/** Deletes a sandbox, unless it is already gone. @throws AgentError */
export async function deleteAtEnd(
  { id }: ScheduledDeletion,
  inputs: Inputs<'sandbox-end'>,
  context: SandboxContext,
): Promise<void> {
  // A cancelled job must still delete its sandbox, so only the runner's kill ends this.
  const wasThere = await withApi(inputs, context, context.killImminent, api =>
    deleteSandbox(api, id),
  );
  context.log.line(wasThere ? `Deleted sandbox ${id}` : `Sandbox ${id} was already gone`);
}

export function notDeletedWarning({ id, endsAt }: ScheduledDeletion): string {
  return `Sandbox ${id} could not be deleted. It ends by itself at ${new Date(endsAt).toUTCString()}, unless its lifetime was extended.`;
}

export function domainOf({ domain }: Pick<Sandbox, 'domain'>, apiUrl: string): string | undefined {
  return domain ?? /^api\.(.+)$/.exec(new URL(apiUrl).host)?.[1];
}

// E2B gives each port of a sandbox a host name (https://e2b.dev/docs/network/public-url), so
// the URL contains placeholders.
function baseUrlOf(domain: string | undefined, apiUrl: string): string {
  // Only local test servers use http. They have a single address and route by header.
  if (apiUrl.startsWith('http:')) return apiUrl;
  return domain === undefined ? '' : `https://{port}-{sandbox-id}.${domain}`;
}

async function withApi<T>(
  inputs: Inputs<'sandbox-end'>,
  context: SandboxContext,
  stop: AbortSignal,
  use: (api: SandboxApi) => Promise<T>,
): Promise<T> {
  const { killImminent, log } = context;
  const onRetry = (retry: Retry) => log.line(describeRetry('the sandbox', retry));
  await using client = openClient(apiService(inputs), { ...context, cancel: killImminent });
  return await use({ ...context, ...inputs, client, stop, onRetry });
}

async function create(
  api: SandboxApi,
  inputs: Inputs<'sandbox'>,
  { now, log }: SandboxContext,
  { jobMetadata, scheduleDeletion }: SandboxHooks,
): Promise<Sandbox> {
  const { template, lifetime } = inputs;
  const metadata = { ...inputs.metadata, ...jobMetadata };
  let uncertainAt: number | undefined;
  const onUncertain = () => {
    uncertainAt = now();
  };
  const sandbox = await createSandbox(api, { ...inputs, metadata }, onUncertain).finally(() => {
    if (uncertainAt !== undefined)
      log.warning(maybeCreatedWarning(jobMetadata, uncertainAt + lifetime));
  });
  const { id } = sandbox;
  const deletion = { id, endsAt: now() + lifetime };
  try {
    if (inputs.delete ?? true) scheduleDeletion(deletion);
  } catch (error) {
    // The post step won't know about this sandbox, so delete it now.
    await deleteSandbox(api, id).catch(() => log.warning(notDeletedWarning(deletion)));
    throw error;
  }
  log.line(`Created sandbox ${id} from ${template}, for ${formatDuration(lifetime)}`);
  return sandbox;
}

async function connect(
  api: SandboxApi,
  { sandboxId: id, lifetime, delete: shouldDelete = false }: Inputs<'sandbox'>,
  { now, log }: SandboxContext,
  { scheduleDeletion }: SandboxHooks,
): Promise<Sandbox> {
  // Schedule the deletion first, because connecting may fail.
  if (shouldDelete) scheduleDeletion({ id, endsAt: now() + lifetime });
  const sandbox = await connectToSandbox(api, id, lifetime);
  log.line(`Connected to sandbox ${id}, for at least ${formatDuration(lifetime)}`);
  return sandbox;
}

function maybeCreatedWarning(jobMetadata: SandboxHooks['jobMetadata'], endsAt: number): string {
  const metadata = Object.entries(jobMetadata).map(([key, value]) => `${key}=${value}`);
  return `An attempt that failed may have created a sandbox that nobody deletes. Look for one with the metadata ${metadata.join(', ')}. It ends by itself at ${new Date(endsAt).toUTCString()}.`;
}

function noTokenError({ id }: Sandbox): AgentError {
  const hint =
    'Nothing can be sent to it without one. Its template may be too old for `secure`: build it again, or use another.';
  return new AgentError('bad-answer', `The service returned no token for sandbox ${id}.`, { hint });
}
