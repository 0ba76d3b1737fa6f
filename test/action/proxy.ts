import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { closeWith, listenHere } from '../listening.ts';

/** What a proxy was asked for. */
export interface ProxyRequest {
  readonly method: string;
  /** Host and port to be reached. */
  readonly host: string;
  readonly authorization: string | undefined;
}

/** A forward proxy that also tunnels. */
export interface Proxy extends AsyncDisposable {
  /** Host and port. */
  readonly address: string;
  readonly requests: readonly ProxyRequest[];
}

export interface ProxyOptions {
  /** Answers everything with that status. */
  readonly refuse?: number;
  /** URL of the agent that `http://agent.test` means, which nobody but this proxy can find. */
  readonly agent?: string;
  /** URL that every tunnel leads to, whatever host it was asked for. */
  readonly tunnelTo?: string;
}

/** Starts a proxy. */
export async function openProxy({ refuse, agent, tunnelTo }: ProxyOptions = {}): Promise<Proxy> {
  const requests: ProxyRequest[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer((incoming, response) => {
    requests.push(requestOf(incoming, new URL(incoming.url ?? '').host));
    if (refuse === undefined) forward(incoming, response, agent);
    else response.writeHead(refuse).end();
  });
  server.on('connection', socket => sockets.add(socket));
  server.on('connect', (incoming, socket: Duplex) => {
    requests.push(requestOf(incoming, incoming.url ?? ''));
    if (refuse === undefined) sockets.add(tunnel(tunnelTo ?? `http://${incoming.url}`, socket));
    else socket.end(`HTTP/1.1 ${refuse} Refused\r\nContent-Length: 0\r\n\r\n`);
  });
  const port = await listenHere(server);
  return {
    address: `127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: () => closeWith(server, sockets),
  };
}

function requestOf({ method = '', headers }: IncomingMessage, host: string): ProxyRequest {
  return { method, host, authorization: headers['proxy-authorization'] };
}

function forward(incoming: IncomingMessage, response: ServerResponse, agent = ''): void {
  const { method } = incoming;
  const url = incoming.url?.replace(/^http:\/\/agent\.test/, agent) ?? '';
  const { 'proxy-authorization': _, ...headers } = incoming.headers;
  const outgoing = request(url, { method, headers }, answer => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
}

function tunnel(url: string, client: Duplex): Duplex {
  const { hostname, port } = new URL(url);
  const upstream = connect(Number(port || 80), hostname, () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    upstream.pipe(client).pipe(upstream);
  });
  for (const end of [client, upstream]) end.on('error', () => client.destroy());
  return upstream;
}

/** A private key, a certificate, and the file that holds the certificate. */
export interface Keys extends Disposable {
  readonly key: string;
  readonly cert: string;
  readonly certFile: string;
}

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** Makes keys with a certificate for a name, such as `DNS:*.example.com`, which is its own CA. */
export function makeKeys(name = 'IP:127.0.0.1'): Keys {
  const directory = mkdtempSync(path.join(tmpdir(), 'sandbox-sync-tls-'));
  const [keyFile, certFile] = [path.join(directory, 'key'), path.join(directory, 'cert')];
  const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -addext subjectAltName=${name}`;
  const args = [...options.split(' '), '-keyout', keyFile, '-out', certFile];
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return {
    key: readFileSync(keyFile, 'utf8'),
    cert: readFileSync(certFile, 'utf8'),
    certFile,
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}
