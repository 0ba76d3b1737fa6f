import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type AgentRequest, openAgent } from '../../src/agent/client.ts';
import type { Answer } from '../../src/agent/dispatcher.ts';
import type { Connection } from '../../src/inputs/inputs.ts';
import { redactor } from '../../src/text/redact.ts';
import type { TlsCertificate } from './tls-certificate.ts';

export const TOKEN = 'tok-3f9c1d-secret';

export const GET: AgentRequest = { method: 'GET', path: '/path?query' };

export function postRequest(body: Iterable<Buffer>, length: number): AgentRequest {
  const headers = { 'Content-Length': String(length) };
  return { method: 'POST', path: '/files', headers, body };
}

interface Settings extends Partial<Connection> {
  readonly cancel?: AbortSignal;
}

/** Opens a client, by default with a timeout longer than any test. */
export function openTestClient(
  baseUrl: string,
  settings: Settings = {},
): ReturnType<typeof openAgent> {
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
  return openAgent(connection, {
    cancel,
    now: Date.now,
    redact: redactor([TOKEN]),
  });
}

export async function sendOnce(baseUrl: string, settings: Settings = {}): Promise<Answer> {
  await using client = openTestClient(baseUrl, settings);
  return await client.send(GET);
}

/** Sets these proxy variables and unsets all others, until disposed of. */
export function setProxyVariables(values: Readonly<Record<string, string>>): Disposable {
  const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'];
  const before = names.map(name => [name, process.env[name]] as const);
  const put = (name: string, value: string | undefined) => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  // Unset all before setting any, since Windows treats both spellings as one variable.
  for (const name of names) put(name, undefined);
  for (const [name, value] of Object.entries(values)) put(name, value);
  return {
    [Symbol.dispose]() {
      for (const [name, value] of before) put(name, value);
    },
  };
}

export function trustCertificate({ cert }: TlsCertificate): void {
  setDefaultCACertificates([...getCACertificates(), cert]);
}
