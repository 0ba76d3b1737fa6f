import path from 'node:path';
import type { FaultAction } from './faults.ts';

/** The metrics of an agent, unless a test sets its own. */
export const METRICS = {
  ts: 1_767_225_600,
  cpu_count: 4,
  cpu_used_pct: 12.5,
  mem_total: 8_589_934_592,
  mem_used: 2_147_483_648,
  mem_total_mib: 8192,
  mem_used_mib: 2048,
  disk_total: 10_737_418_240,
  disk_used: 1_234_567_890,
};

/** Returns these values of a metric one after the other, then repeats the last one. */
export function metricsInTurn(name: keyof typeof METRICS, ...values: readonly number[]) {
  let count = 0;
  return () => ({ ...METRICS, [name]: values[Math.min(count++, values.length - 1)] });
}

/** Makes the agent answer with a status. */
export function statusFault(code: number, body = '', more: object = {}): FaultAction {
  return { kind: 'status', status: code, body, ...more };
}

/** The body of an error that the service's proxy answers instead of the agent. */
export function proxyError(message: string, code = 502): string {
  return JSON.stringify({ sandboxId: 'i1', message, code });
}

/** The entry that acknowledges an uploaded file. */
export function fileEntry(target: string, more: object = {}): object {
  const absolute = path.posix.resolve('/home/user', target);
  return { path: absolute, name: path.posix.basename(target), type: 'file', ...more };
}
