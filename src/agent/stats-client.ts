import type { Connection } from '../inputs/connection.ts';
import { changeStrings } from './exact-json.ts';
import { badAnswer, type Exchange } from './exchange.ts';
import type { HttpAnswer } from './http.ts';
import type { Redact } from './redact.ts';

/** Reads the stats as the text of a JSON object, secrets taken out. One attempt. */
export async function readStats({ statsPath }: Connection, { send, redact }: Exchange): Promise<string> {
  return cleanObject(await send({ method: 'GET', path: statsPath, headers: {} }), redact);
}

// Secrets are looked for in what the strings mean: JSON's escapes allow many spellings.
function cleanObject(answer: HttpAnswer, redact: Redact): string {
  const json = cleanJson(answer, redact);
  if (json.startsWith('{')) return json;
  throw badAnswer(answer, 'It is not a JSON object');
}

function cleanJson(answer: HttpAnswer, redact: Redact): string {
  try {
    return changeStrings(answer.text, redact);
  } catch (error) {
    throw badAnswer(answer, 'It is not JSON', error);
  }
}
