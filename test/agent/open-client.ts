import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Answer } from '../../src/agent/answer.ts';
import {
  type AgentRequest,
  agentService,
  type Client,
  withClient,
} from '../../src/agent/client.ts';
import type { Connection } from '../../src/inputs/inputs.ts';
import { redactor } from '../../src/text/redact.ts';
import type { Keys } from '../keys.ts';

export const TOKEN = 'tok-3f9c1d-secret';

export const GET: AgentRequest = { method: 'GET', path: '/path?query' };

export function postRequest(body: Iterable<Buffer>, length: number): AgentRequest {
  const headers = { 'Content-Length': String(length) };
  return { method: 'POST', path: '/files', headers, body };
}

interface Settings extends Partial<Connection> {
  readonly cancel?: AbortSignal;
}

interface OpenClient extends Client, AsyncDisposable {
  readonly close: () => Promise<void>;
}

/** Opens a client that is closed when disposed of. By default, nothing ever times out. */
export async function openClient(baseUrl: string, settings: Settings = {}): Promise<OpenClient> {
  const { cancel = new AbortController().signal, ...more } = settings;
  const connection = {
    sandboxId: 'i1a2b3c4d5',
    token: TOKEN,
    baseUrl,
    port: 49_983,
    headerPrefix: 'Svc',
    allowInsecureHttp: true,
    headers: {},
    timeout: 60_000,
    ...more,
  };
  const options = { cancel, now: Date.now, redact: redactor([TOKEN]) };
  const opening = Promise.withResolvers<Client>();
  const closing = Promise.withResolvers<void>();
  const closed = withClient(agentService(connection), options, client => {
    opening.resolve(client);
    return closing.promise;
  });
  closed.catch(opening.reject);
  const client = await opening.promise;
  const close = () => {
    closing.resolve();
    return closed;
  };
  return { ...client, close, [Symbol.asyncDispose]: close };
}

/** Sends one request with a client of its own. */
export async function sendOnce(baseUrl: string, settings: Settings = {}): Promise<Answer> {
  await using client = await openClient(baseUrl, settings);
  return await client.send(GET);
}

/** Sets only these proxy variables until disposed of. */
export function setProxyVariables(values: Readonly<Record<string, string>>): Disposable {
  const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'];
  const before = names.map(name => [name, process.env[name]] as const);
  const put = (name: string, value: string | undefined) => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  // In turn: Windows treats both spellings as one variable.
  for (const name of names) put(name, undefined);
  for (const [name, value] of Object.entries(values)) put(name, value);
  return {
    [Symbol.dispose]() {
      for (const [name, value] of before) put(name, value);
    },
  };
}

export function trustCertificate({ cert }: Keys): void {
  setDefaultCACertificates([...getCACertificates(), cert]);
}
