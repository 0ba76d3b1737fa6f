import { createServer } from 'node:net';
import { serveConnection } from './connection.ts';
import { type Counts, hasNumbers } from './start.ts';

// A server that takes uploads and throws them away. It says its port to the process that started it, counts anew when it
// is told the latency of what comes next, and answers every message with the counts.

const NOTHING = { connections: 0, requests: 0, files: 0, bytes: 0 };

let latencyMs = 0;
let counts = { ...NOTHING };
let cpu = process.cpuUsage();

const server = createServer({ pauseOnConnect: true }, socket => {
  counts.connections += 1;
  serveConnection(socket, {
    latencyMs: () => latencyMs,
    received(files) {
      counts.requests += 1;
      counts.files += files.length;
      for (const { bytes } of files) counts.bytes += bytes;
    },
  });
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
process.on('message', message => {
  if (hasNumbers(message, ['latencyMs'])) {
    latencyMs = message.latencyMs;
    counts = { ...NOTHING };
    cpu = process.cpuUsage();
  }
  const { user, system } = process.cpuUsage(cpu);
  const answer: Counts = { ...counts, cpuMs: (user + system) / 1000 };
  process.send?.(answer);
});
