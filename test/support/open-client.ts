import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type AgentRequest, openAgent, type RequestLimits } from '../../src/agent/client.ts';
import type { AgentResponse } from '../../src/agent/dispatcher.ts';
import type { Connection } from '../../src/inputs/inputs.ts';
import { redactor } from '../../src/text/escape.ts';
import type { TlsCertificate } from './tls-certificate.ts';

export const TOKEN = 'tok-3f9c1d-secret';

/** A timeout longer than any test, and a job that is not cancelled. */
export const LIMITS: RequestLimits = { signal: new AbortController().signal, timeout: 60_000 };

export const GET: AgentRequest = { ...LIMITS, method: 'GET', path: '/path?query' };

export function postRequest(body: Iterable<Buffer>, length: number): AgentRequest {
  const headers = { 'Content-Length': String(length) };
  return { ...LIMITS, method: 'POST', path: '/files', headers, body };
}

export function openTestClient(
  baseUrl: string,
  changes: Partial<Connection> = {},
): ReturnType<typeof openAgent> {
  const connection = {
    sandboxId: 'i1a2b3c4d5',
    token: TOKEN,
    baseUrl,
    port: 49_983,
    headerPrefix: 'Svc',
    allowInsecureHttp: true,
    headers: {},
    timeout: LIMITS.timeout,
    ...changes,
  };
  return openAgent(connection, { now: Date.now, redact: redactor([TOKEN]) });
}

export async function sendOnce(
  baseUrl: string,
  limits: Partial<RequestLimits> = {},
): Promise<AgentResponse> {
  await using client = openTestClient(baseUrl);
  return await client.send({ ...GET, ...limits });
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
