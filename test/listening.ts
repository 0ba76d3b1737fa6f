import { once } from 'node:events';
import type { Server } from 'node:net';

/**
 * Has a server listen on this machine, on any free port unless one is given, and returns the port.
 */
export async function listenHere(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return address.port;
}

/** Closes a server and what is connected to it, and waits for that. */
export async function closeWith(
  server: Server,
  sockets: Iterable<{ readonly destroy: () => unknown }>,
): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}
