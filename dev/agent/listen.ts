import { once } from 'node:events';
import type { Server } from 'node:net';

/** Listens on 127.0.0.1, by default on a free port, and returns the port. */
export async function listenHere(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return address.port;
}
