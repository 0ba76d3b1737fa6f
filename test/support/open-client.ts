import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type AgentRequest, openAgent, type RequestLimits } from '../../src/agent/client.ts';
import type { AgentResponse } from '../../src/agent/http.ts';
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
  return openAgent(connection, { redact: redactor([TOKEN]) });
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
  const before = process.env;
  const others = Object.entries(before).filter(([name]) => !/^(https?|no)_proxy$/i.test(name));
  process.env = { ...Object.fromEntries(others), ...values };
  return { [Symbol.dispose]: () => void (process.env = before) };
}

export function trustCertificate({ cert }: TlsCertificate): void {
  setDefaultCACertificates([...getCACertificates(), cert]);
}
