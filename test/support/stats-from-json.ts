import { readStats, type Stats } from '../../src/stats/sample.ts';
import type { Redact } from '../../src/text/escape.ts';
import { LIMITS } from './open-client.ts';

/** Reads the stats of an agent that sends this body. */
export function statsFromJson(body: string, redact: Redact = String): Promise<Stats> {
  const send = async () => ({ label: 'GET /metrics', status: 200, headers: {}, body });
  return readStats({ send, redact }, '/metrics', LIMITS);
}
