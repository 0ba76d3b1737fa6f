import { posix } from 'node:path';
import type { Connection } from '../inputs/connection.ts';
import { statusFailure } from './answer.ts';
import { openBody } from './body.ts';
import { changeStrings } from './exact-json.ts';
import { AgentError } from './failure.ts';
import { frame } from './form.ts';
import { type HttpAnswer, type HttpRequest, openHttp } from './http.ts';
import { type Redact, redactor } from './redact.ts';

/** A file on the runner and where it goes in the sandbox. */
export interface UploadFile {
  /** Absolute path on the runner, its links resolved. */
  readonly realPath: string;
  /** POSIX path in the sandbox, absolute or relative to the user's home. */
  readonly target: string;
  /** Bytes, when the plan was made. */
  readonly size: number;
}

/** What the agent acknowledged. */
export interface StoredFile {
  /** The path as the agent returned it. */
  readonly path: string;
  /** Bytes of the file that were sent. */
  readonly size: number;
}

/** The in-sandbox agent's operations, one attempt each. Their failures are AgentErrors. */
export interface AgentClient {
  /** Stores a file. `onSent` is told the bytes of the body as they leave, frame included. */
  upload(file: UploadFile, onSent: (bytes: number) => void): Promise<StoredFile>;
  /** The stats as the text of a JSON object, secrets taken out. */
  stats(): Promise<string>;
  /** Ends what is in flight and closes every connection. */
  close(): Promise<void>;
}

/** What a client needs beside the connection. */
export interface ClientOptions {
  /** Connections at most. */
  readonly connections: number;
  /** Query parameters of every upload, beside `path`. */
  readonly query: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /** Ends every request in flight at once. */
  readonly cancel: AbortSignal;
  /** The current time, in milliseconds since 1970. */
  readonly now: () => number;
}

/** Opens a client for one sandbox. */
export function openClient(connection: Connection, options: ClientOptions): AgentClient {
  const { origin, pathname } = new URL(connection.baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  const http = openHttp(origin, options.connections, connection.timeoutMs);
  const redact = redactor(connection.secrets);
  const common = { ...connection.headers, Accept: 'application/json', 'User-Agent': options.userAgent };
  const uploadPath = `${prefix}${connection.uploadPath}`;
  const further = Object.entries(options.query).map(
    ([name, value]) => `&${name}=${encodeURIComponent(value)}`,
  );

  async function exchange(request: Omit<HttpRequest, 'cancel'>): Promise<HttpAnswer> {
    const answer = await http.send({ ...request, cancel: options.cancel });
    if (answer.status < 200 || answer.status > 299) throw statusFailure(answer, redact, options.now());
    return answer;
  }

  return {
    async upload(file, onSent) {
      const { contentType, ...framing } = frame(file.target);
      const { body, length, fileBytes, close } = await openBody(file.realPath, file.size, {
        contentType,
        ...framing,
      });
      try {
        const headers = { ...common, 'Content-Type': contentType, 'Content-Length': String(length) };
        const path = `${uploadPath}?path=${encodeURIComponent(file.target)}${further.join('')}`;
        const answer = await exchange({ method: 'POST', path, headers, body, onSent });
        return { path: redact(storedPath(answer, file.target)), size: fileBytes };
      } finally {
        await close();
      }
    },
    async stats() {
      const answer = await exchange({
        method: 'GET',
        path: `${prefix}${connection.statsPath}`,
        headers: common,
      });
      return cleanObject(answer, redact);
    },
    close: () => http.close(),
  };
}

/** The path of the one File entry that acknowledges the upload to `target`. */
function storedPath(answer: HttpAnswer, target: string): string {
  if (!answer.sentWhole) throw badAnswer(answer, 'It came before the whole file had been sent', 'connection');
  const body = parse(answer);
  const entries = Array.isArray(body) ? body : [body];
  const entry: unknown = entries[0];
  if (entries.length !== 1 || typeof entry !== 'object' || entry === null) {
    throw badAnswer(answer, `It holds ${entries.length} file entries, where one was expected`);
  }
  const { path, name, type } = { path: undefined, name: undefined, type: undefined, ...entry };
  if (type !== 'file') throw badAnswer(answer, 'Its entry is not of type "file"');
  if (name !== posix.basename(target)) throw badAnswer(answer, 'Its entry names another file');
  if (typeof path !== 'string' || path === '') throw badAnswer(answer, 'Its entry has no path');
  return path;
}

// Secrets are looked for in what the strings mean: JSON's escapes allow many spellings.
function cleanObject(answer: HttpAnswer, redact: Redact): string {
  try {
    const json = changeStrings(answer.text, redact);
    if (json.startsWith('{')) return json;
  } catch (error) {
    throw badAnswer(answer, 'It is not JSON', 'bad-answer', error);
  }
  throw badAnswer(answer, 'It is not a JSON object');
}

function parse(answer: HttpAnswer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch (error) {
    throw badAnswer(answer, 'It is not JSON', 'bad-answer', error);
  }
}

function badAnswer(
  { tried, status }: HttpAnswer,
  why: string,
  kind: 'bad-answer' | 'connection' = 'bad-answer',
  cause?: unknown,
) {
  return new AgentError(kind, `${tried} answered ${status}, but the answer cannot be trusted: ${why}.`, {
    status,
    cause,
  });
}
