import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { readFiles } from '../agent/multipart.ts';

// Starts a server that counts files and discards them, and a line to it with a latency, given in
// milliseconds. Prints both ports as JSON. GET reads and resets the counts.

const latencyMs = Number(process.argv[2]);
let counts = { files: 0, bytes: 0 };
const near = await listen(createServer((...exchange) => void receive(...exchange)));
const far = await listen(
  createTcpServer({ allowHalfOpen: true }, client => carryBoth(client, near)),
);
console.log(JSON.stringify({ near, far }));

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    response.end(JSON.stringify(counts));
    counts = { files: 0, bytes: 0 };
    return;
  }
  const names: string[] = [];
  await readFiles(request, (name, content) => {
    names.push(name);
    content.on('data', (chunk: Buffer) => (counts.bytes += chunk.length));
  });
  counts.files += names.length;
  const given = new URL(request.url ?? '', 'http://x').searchParams.get('path');
  const entries = (given === null ? names : [given]).map(name => {
    const stored = path.posix.resolve('/home/user', name);
    return { name: path.posix.basename(stored), path: stored, type: 'file' };
  });
  response.end(JSON.stringify(entries));
}

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Forwards a connection, half the latency late each way. Connecting takes a round trip. */
function carryBoth(client: Socket, port: number): void {
  const server = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const connectedAt = performance.now() + latencyMs;
  carry(client, server, connectedAt);
  carry(server, client, connectedAt);
}

/** In order, which a timer for each piece would not keep. */
function carry(from: Socket, to: Socket, connectedAt: number): void {
  const queue: { readonly at: number; readonly act: () => void }[] = [];
  const deliver = () => {
    for (let [first] = queue; first && first.at <= performance.now(); [first] = queue) {
      queue.shift();
      first.act();
    }
    if (queue[0]) setTimeout(deliver, Math.max(1, queue[0].at - performance.now()));
  };
  const later = (act: () => void) => {
    const at = Math.max(performance.now(), connectedAt) + latencyMs / 2;
    if (queue.push({ at, act }) === 1) deliver();
  };
  from.setNoDelay(true);
  from.on('data', piece => later(() => to.write(piece)));
  from.on('end', () => later(() => to.end()));
  from.on('error', () => to.destroy());
}
