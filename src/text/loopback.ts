import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether a host name is this machine. Other names than `localhost` may be resolved elsewhere. */
export function isLoopback(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(address);
  if (family === 0) return hostname === 'localhost';
  return LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4');
}
