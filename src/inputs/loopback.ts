import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Whether a URL's host name is this very machine, so that nobody is on the way to it. Of names only `localhost` is: what
 * ends in `.localhost` is left to the resolver of the system, which may ask the network.
 */
export function isLoopback(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(address);
  if (family === 0) return hostname === 'localhost';
  return LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4');
}
