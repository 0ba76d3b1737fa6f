import { routingHeaders, secretsInHeaders, USER_AGENT } from '../inputs/headers.ts';
import type { Connection } from '../inputs/table.ts';
import type { Debug } from '../text/debug.ts';
import { changeStrings } from '../text/exact-json.ts';
import { type Redact, redactor } from '../text/redact.ts';
import { formatCount, formatDuration } from '../text/units.ts';
import { badAnswer, fromJson, statusFailure } from './answer.ts';
import { watchConnections } from './connections.ts';
import type { HttpAnswer } from './exchange.ts';
import { AgentError } from './failure.ts';
import { type Http, type HttpOptions, openHttp } from './http.ts';
import { networkFacts, proxyCredentials } from './proxy.ts';

/** Requests to the in-sandbox agent, one attempt each: to a path below the base URL, for an answer of 200 to 299. */
export interface Client extends Http {
  /** Reads the stats as the text of a JSON object, secrets taken out. */
  readonly stats: () => Promise<string>;
  readonly redact: Redact;
}

/** What a client needs beside the connection. */
export interface ClientOptions extends Omit<HttpOptions, 'timeoutMs' | 'redact'> {
  /** The current time, in milliseconds since 1970. */
  readonly now: () => number;
  readonly debug?: Debug | undefined;
}

/** Opens a client for one sandbox. */
export function openClient(
  connection: Connection & { readonly signature?: string },
  { connections, cancel, now, debug }: ClientOptions,
): Client {
  const { baseUrl, statsPath, timeout: timeoutMs, token, headers, signature = '' } = connection;
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  const redact = redactor([
    token,
    signature,
    ...secretsInHeaders(Object.entries(headers)),
    ...proxyCredentials(process.env),
  ]);
  const common = headersOf(connection);
  debug?.('network', networkFacts(origin, process.env));
  const http = openHttp(origin, { connections, timeoutMs, cancel, redact });
  const unwatch = debug && watchConnections(line => debug('connection', `Connection: ${line}`));
  const plain: Client['send'] = async request => {
    const headers = [...common, ...request.headers];
    const answer = await http.send({ ...request, path: `${prefix}${request.path}`, headers });
    if (answer.status < 200 || answer.status > 299) throw statusFailure(answer, redact, now());
    return answer;
  };
  const send = debug === undefined ? plain : told(plain, debug);
  return {
    send,
    stats: async () => cleanObject(await send({ method: 'GET', path: statsPath, headers: [] }), redact),
    redact,
    connectAhead: http.connectAhead,
    async close() {
      unwatch?.();
      await http.close();
    },
  };
}

/** What every request carries: token, routing, and the user's own headers; names and values in turn. */
function headersOf(connection: Connection): string[] {
  const { headers, token, headerPrefix, sandboxId, port } = connection;
  const routing = routingHeaders(headerPrefix);
  return Object.entries({
    ...headers,
    'X-Access-Token': token,
    [routing.id]: sandboxId,
    [routing.port]: String(port),
    Accept: 'application/json',
    'User-Agent': USER_AGENT,
  }).flat();
}

/** Sends like `send`, and tells of each request when it has ended; a signature in its path is taken out. */
function told(send: Client['send'], debug: Debug): Client['send'] {
  return async request => {
    const start = performance.now();
    let sent = 0;
    const onSent = (bytes: number) => {
      sent += bytes;
      request.onSent?.(bytes);
    };
    const line = (status = 'no answer') => {
      const path = request.path.replace(/(?<=[?&]signature=)[^&]*/, '***');
      const bytes = request.method === 'GET' ? '' : `, ${formatCount(sent, 'byte')} sent`;
      return `${request.method} ${path} → ${status} in ${formatDuration(performance.now() - start)}${bytes}`;
    };
    try {
      const answer = await send({ ...request, onSent });
      debug('request', line(String(answer.status)));
      return answer;
    } catch (error) {
      if (error instanceof AgentError)
        debug('failed request', `${line(error.status?.toString())}: ${error.kind}. ${error.message}${causesOf(error)}`);
      throw error;
    }
  };
}

const MAX_CAUSES = 5;

/** What lies behind a failure, the nearest first, a line each. */
function causesOf(error: Error): string {
  const lines: string[] = [];
  for (let at = error.cause; at instanceof Error && lines.length < MAX_CAUSES; at = at.cause) {
    const code = 'code' in at ? ` ${String(at.code)}` : '';
    const others = at instanceof AggregateError ? ` ${at.errors.map(String).join('; ')}` : '';
    lines.push(`\n- because of ${at.name}${code}: ${at.message}${others}`);
  }
  return lines.join('');
}

/** The JSON object of an answer, to the letter unless there is a secret in it. @throws AgentError */
function cleanObject(answer: HttpAnswer, redact: Redact): string {
  const { text } = answer;
  // Secrets are looked for in what the strings mean: JSON's escapes allow many spellings.
  const clean = fromJson(answer, json => changeStrings(json, redact));
  if (!clean.startsWith('{')) throw badAnswer(answer, 'It is not a JSON object');
  // Of two values under one name, the first is not among them; without escapes, it is in the text as it is.
  const isClean = clean === fromJson(answer, json => changeStrings(json, part => part)) && text === redact(text);
  return isClean && !text.includes('\\') ? text.trim() : clean;
}
