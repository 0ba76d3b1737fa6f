import type { Connection } from '../inputs/connection.ts';
import { changeStrings } from '../text/exact-json.ts';
import type { Redact } from '../text/redact.ts';
import { badAnswer, type Exchange, type ExchangeOptions, openExchange } from './exchange.ts';
import type { HttpAnswer } from './http.ts';
import { openLightHttp } from './light-http.ts';

/** Reads the stats as the text of a JSON object, secrets taken out. One attempt; a failure is an AgentError. */
export type ReadStats = () => Promise<string>;

/** A client for the stats alone, one reading at a time. It takes a fraction of the time to start that uploads take. */
export function openStatsReader(
  connection: Connection,
  options: ExchangeOptions,
): { readonly stats: ReadStats; readonly close: () => Promise<void> } {
  const http = openLightHttp(new URL(connection.baseUrl).origin, connection.timeoutMs);
  const exchange = openExchange(connection, http, options);
  return { stats: () => readStats(connection, exchange), close: () => http.close() };
}

/** Reads the stats as the text of a JSON object, secrets taken out. One attempt. */
export async function readStats({ statsPath }: Connection, { send, redact }: Exchange): Promise<string> {
  return cleanObject(await send({ method: 'GET', path: statsPath, headers: {} }), redact);
}

function cleanObject(answer: HttpAnswer, redact: Redact): string {
  const json = cleanJson(answer, redact);
  if (json.startsWith('{')) return json;
  throw badAnswer(answer, 'It is not a JSON object');
}

/** The answer to the letter, unless there is a secret in it. */
function cleanJson(answer: HttpAnswer, redact: Redact): string {
  try {
    // Secrets are looked for in what the strings mean: JSON's escapes allow many spellings.
    const clean = changeStrings(answer.text, redact);
    const isClean = clean === changeStrings(answer.text, text => text) && answer.text === redact(answer.text);
    return isClean ? answer.text.trim() : clean;
  } catch (error) {
    throw badAnswer(answer, 'It is not JSON', error);
  }
}
