import dns from 'node:dns';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { mock } from 'node:test';
import { listenHere } from '../../listening.ts';

/** A port of this machine that hands its connections on, once it is opened. */
export interface Front extends AsyncDisposable {
  readonly port: number;
  /** Lets connections in; until then they are refused. */
  readonly open: () => Promise<void>;
}

/** Reserves a port. `to` names the URL that a connection goes to, by its number from 1. */
export async function openFront(to: (connection: number) => string): Promise<Front> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket.on('error', () => socket.destroy()));
    return socket.on('close', () => sockets.delete(socket));
  };
  const reserving = createServer(socket => void keep(socket));
  const port = await listenHere(reserving, 0);
  // As long as this connection lives, the system gives the port to nobody else.
  const held = once(reserving, 'connection');
  keep(connect(port, '127.0.0.1'));
  await held;
  reserving.close();
  let connections = 0;
  const server = createServer(socket => {
    const { hostname, port: target } = new URL(to(++connections));
    const upstream = keep(connect(Number(target), hostname));
    keep(socket).pipe(upstream).pipe(socket);
    socket.on('close', () => upstream.destroy());
    upstream.on('close', () => socket.destroy());
  });
  return {
    port,
    open: async () => void (await listenHere(server, port)),
    async [Symbol.asyncDispose]() {
      const closed = [reserving, server]
        .filter(each => each === reserving || each.listening)
        .map(each => new Promise<void>(resolve => void each.close(() => resolve())));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

/** Host names that mean this machine, once they are put into the returned set; until then they cannot be found. */
export function resolveNames(suffix: string): Set<string> {
  const known = new Set<string>();
  const system: Lookup = dns.lookup;
  const lookup: Lookup = (name, options, found) => {
    if (!name.endsWith(suffix)) return system(name, options, found);
    const missing = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
    setImmediate(() => {
      if (known.has(name)) found(null, [{ address: '127.0.0.1', family: 4 }]);
      else found(missing, []);
    });
  };
  mock.method(dns, 'lookup', lookup);
  return known;
}

// As a connection that may try several addresses asks for them.
type Lookup = (
  name: string,
  options: dns.LookupAllOptions,
  found: (error: Error | null, addresses: dns.LookupAddress[]) => void,
) => void;
