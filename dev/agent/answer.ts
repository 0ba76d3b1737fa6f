import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** The Content-Type that Go detects in an answer without one. */
export const TEXT = { 'Content-Type': 'text/plain; charset=utf-8' };

/** A whole answer, ready to be sent. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<OutgoingHttpHeaders> | undefined;
  readonly body: string | Buffer;
}

/** Refuses a request: the HTTP status and what the body says. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly by: RefusedBy;

  constructor(status: number, message: string, by: RefusedBy = 'agent') {
    super(message);
    this.status = status;
    this.by = by;
  }
}

/**
 * The agent sends errors as JSON, its HTTP library as text, the proxy before it as HTML unless JSON
 * is accepted.
 */
type RefusedBy = 'agent' | 'library' | { readonly proxyTo: string };

/** Answers any error: a `Refusal` with its own status, everything else with 500. */
export function errorAnswer(error: unknown, accept = ''): Answer {
  const { status, message, by } = asRefusal(error);
  if (by === 'agent') return jsonAnswer({ code: status, message }, status);
  if (by === 'library') return { status, headers: message === '' ? {} : TEXT, body: message };
  if (!accept.includes('application/json')) return htmlAnswer(status, message);
  return jsonAnswer({ sandboxId: by.proxyTo, message, code: status }, status);
}

/** A JSON answer with the Content-Type of JSON. */
export function jsonAnswer(value: object, status = 200): Answer {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  return { status, headers, body: JSON.stringify(value) };
}

/** Sends the whole answer with its Content-Length. Does nothing when the client has gone. */
export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'Content-Length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

function htmlAnswer(status: number, message: string): Answer {
  const text = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const body = `<!doctype html>\n<title>${status}</title>\n<h1>${status}</h1>\n<p>${text}</p>\n`;
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body };
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal(500, error instanceof Error ? error.message : String(error));
}
