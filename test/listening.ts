import { once } from 'node:events';
import type { Server } from 'node:net';

/** Starts listening on this machine, by default on any free port. Returns the port. */
export async function listenHere(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return address.port;
}

/** Closes a server and its connections, and waits for that. */
export async function closeWith(
  server: Server,
  sockets: Iterable<{ readonly destroy: () => unknown }>,
): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}
