import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import path from 'node:path';

// Starts a server that counts files and discards them, and a line to it with a latency, given in
// milliseconds. Prints the ports as JSON; the third one reads and resets the counts.

const latencyMs = Number(process.argv[2]);
let counts = { files: 0, bytes: 0 };
const near = await listen(createServer((...exchange) => void receive(...exchange)));
const far = await listen(
  createTcpServer({ allowHalfOpen: true }, client => carryBoth(client, near)),
);
const reader = createServer((_request, response) => {
  response.end(JSON.stringify(counts));
  counts = { files: 0, bytes: 0 };
});
console.log(JSON.stringify({ near, far, counts: await listen(reader) }));

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { names, bytes } = await readForm(request);
  counts = { files: counts.files + names.length, bytes: counts.bytes + bytes };
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

/** The filenames of a form and the bytes of its files. Of a file with a path, only the head is read. */
async function readForm(request: IncomingMessage): Promise<{ names: string[]; bytes: number }> {
  const [, boundary = ''] = /boundary="?([^";]+)/.exec(request.headers['content-type'] ?? '') ?? [];
  const names: string[] = [];
  let rest = Buffer.alloc(0);
  let bytes = -(boundary.length + 6);
  for await (const chunk of request) {
    bytes += chunk.length;
    if (names.length > 0 && request.url?.includes('path=')) continue;
    let piece = Buffer.concat([rest, chunk]);
    for (
      let at = piece.indexOf(`--${boundary}\r\n`);
      at !== -1;
      at = piece.indexOf(`--${boundary}\r\n`)
    ) {
      const end = piece.indexOf('\r\n\r\n', at);
      if (end === -1) break;
      names.push(/filename="(.*?)"/.exec(piece.toString('utf8', at, end))?.[1] ?? '');
      bytes -= end + 4 - at + 2;
      piece = piece.subarray(end + 4);
    }
    rest = piece.subarray(-4096);
  }
  return { names, bytes };
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
