import { createServer } from 'node:net';
import { serveConnection } from './connection.ts';
import { type Counts, isSetup } from './messages.ts';

// A server that takes uploads and throws them away. It says its port to the process that started it, counts anew when it
// is told the latency of what comes next, and says the counts on any other message.

let latencyMs = 0;
let counts = none();
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
  if (!isSetup(message)) return process.send?.(counts);
  latencyMs = message.latencyMs;
  counts = none();
  return process.send?.(counts);
});

function none(): { -readonly [K in keyof Counts]: Counts[K] } {
  return { connections: 0, requests: 0, files: 0, bytes: 0 };
}
