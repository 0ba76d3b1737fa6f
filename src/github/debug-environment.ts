import { availableParallelism, freemem, release, totalmem } from 'node:os';
import { isUsable, proxyFor } from '../agent/proxy.ts';
import { formatBytes, formatCount, formatDuration } from '../text/units.ts';
import { workspace } from './runner.ts';

/** What the step runs on. Of the environment's variables no value is named, since one may hold a password. */
export function environmentLines(userAgent: string): string[] {
  const { version, platform, arch } = process;
  const memory = `${formatBytes(totalmem())} of memory, ${formatBytes(freemem())} of it free`;
  return [
    `Version: ${userAgent} on Node.js ${version}, ${platform} ${release()} ${arch}`,
    `Runner: ${formatCount(availableParallelism(), 'CPU')}, ${memory}`,
    `Workspace: ${workspace()}`,
  ];
}

/** How the network is reached. */
export function networkLines(baseUrl: string): string[] {
  const proxy = proxyFor(new URL(baseUrl).origin, process.env);
  const usable = proxy === undefined || isUsable(proxy) ? '' : ', which holds no URL of a proxy';
  return [
    proxy === undefined ? 'Proxy: none' : `Proxy: from ${proxy.name}${usable}`,
    `NO_PROXY: ${isSet('NO_PROXY') || isSet('no_proxy') ? 'set' : 'not set'}`,
    `NODE_EXTRA_CA_CERTS: ${isSet('NODE_EXTRA_CA_CERTS') ? 'set' : 'not set'}`,
  ];
}

/** What the process took until now. */
export function costLine(): string {
  // In kibibytes on every system.
  const peak = formatBytes(process.resourceUsage().maxRSS * 1024);
  return `Took ${formatDuration(performance.now())} and ${peak} of memory at most`;
}

function isSet(name: string): boolean {
  return Boolean(process.env[name]);
}
