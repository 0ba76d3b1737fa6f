import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { serveConnection, serveDecrypted } from './connection.ts';
import { serveHttp2 } from './http2.ts';
import { createLine } from './line.ts';
import type { ReceivedFile } from './multipart.ts';
import { type Counts, hasNumbers, type Ports } from './start.ts';

// Takes uploads and discards them. Sends its ports to the parent process, takes the lines' settings
// from it, starts counting anew, and answers every message with the counts.

const NOTHING = { connections: 0, requests: 0, files: 0, bytes: 0 };

let line = { latencyMs: 0, bytesPerMs: Number.POSITIVE_INFINITY };
let counts = { ...NOTHING };
let cpu = process.cpuUsage();

const service = {
  received(files: readonly ReceivedFile[]) {
    counts.requests += 1;
    counts.files += files.length;
    for (const { bytes } of files) counts.bytes += bytes;
  },
};
const [key, cert] = process.argv.slice(2);
const plain = createServer({ pauseOnConnect: true }, socket => serveConnection(socket, service));
const encrypted = createTlsServer({ key, cert, ALPNProtocols: ['h2', 'http/1.1'] }, socket => {
  if (socket.alpnProtocol === 'h2') serveHttp2(socket, service);
  else serveDecrypted(socket, service);
});
for (const server of [plain, encrypted]) {
  server.on('connection', () => {
    counts.connections += 1;
  });
}

const ends = { plain: await portOf(plain), encrypted: await portOf(encrypted) };
const ports: Ports = {
  ...ends,
  plainLine: await portOf(createLine(() => ({ ...line, port: ends.plain }))),
  encryptedLine: await portOf(createLine(() => ({ ...line, port: ends.encrypted }))),
};
process.on('disconnect', () => process.exit());
process.on('message', message => {
  if (hasNumbers(message, ['latencyMs', 'bytesPerMs'])) {
    line = message;
    counts = { ...NOTHING };
    cpu = process.cpuUsage();
  }
  const { user, system } = process.cpuUsage(cpu);
  const answer: Counts = { ...counts, cpuMs: (user + system) / 1000 };
  process.send?.(answer);
});
process.send?.(ports);

async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
