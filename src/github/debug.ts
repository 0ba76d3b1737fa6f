import { availableParallelism, freemem, release, totalmem } from 'node:os';
import { isDebug, debug as writeDebug } from '@actions/core';
import { proxyCredentials } from '../agent/proxy.ts';
import { USER_AGENT } from '../inputs/headers.ts';
import type { RawInputs } from '../inputs/parse.ts';
import { type DebugLog, openDebugLog } from '../text/debug.ts';
import { redactor } from '../text/redact.ts';
import { formatBytes, formatCount, formatDuration } from '../text/units.ts';
import { harmless } from '../text/visible.ts';
import { secretsIn, workspace } from './runner.ts';

/** The debug log of a step where step debugging is on. People paste it into bug reports: secrets are taken out. */
export function openDebug(raw: RawInputs): DebugLog | undefined {
  if (!isDebug()) return undefined;
  const redact = redactor([...secretsIn(raw), ...headerValues(raw), ...proxyCredentials(process.env)]);
  const log = openDebugLog(line => writeDebug(harmless(line)), redact);
  log.debug('environment', environment());
  return log;
}

// A shorter value is no secret worth the name, and would blot out all that happens to look like it.
const MIN_HEADER_VALUE = 8;

function headerValues({ headers = '' }: RawInputs): string[] {
  const values = headers.split('\n').map(line => line.slice(line.indexOf(':') + 1).trim());
  return values.filter(value => value.length >= MIN_HEADER_VALUE);
}

/** What the step runs on. Of the environment's variables no value is named, since one may hold a password. */
function environment(): string {
  const { version, platform, arch } = process;
  const memory = `${formatBytes(totalmem())} of memory, ${formatBytes(freemem())} of it free`;
  return [
    `Version: ${USER_AGENT} on Node.js ${version}, ${platform} ${release()} ${arch}`,
    `Runner: ${formatCount(availableParallelism(), 'CPU')}, ${memory}`,
    `Workspace: ${workspace()}`,
  ].join('\n');
}

/** What the process took until now. */
export function cost(): string {
  // In kibibytes on every system.
  const peak = formatBytes(process.resourceUsage().maxRSS * 1024);
  return `Took ${formatDuration(performance.now())}, with a memory peak of ${peak}`;
}
