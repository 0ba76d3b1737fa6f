import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** A whole answer, ready to be sent. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<OutgoingHttpHeaders>;
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

/** The agent and the proxy before it refuse in JSON, its HTTP library in text. */
type RefusedBy = 'agent' | 'library' | { readonly proxyTo: string };

/** Answers any error: a `Refusal` with its own status, everything else with 500. */
export function errorAnswer(error: unknown): Answer {
  const { status, message, by } =
    error instanceof Refusal ? error : new Refusal(500, errorText(error));
  if (by === 'agent') return jsonAnswer({ code: status, message }, status);
  if (by === 'library') return textAnswer(message, status);
  return jsonAnswer({ sandboxId: by.proxyTo, message, code: status }, status);
}

export function jsonAnswer(value: object, status = 200): Answer {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  return { status, headers, body: JSON.stringify(value) };
}

/** Go detects the type of an answer without one, if it has a body. */
export function textAnswer(body: string, status = 200): Answer {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
  return { status, headers: body === '' ? {} : headers, body };
}

/** Sends the answer with its Content-Length. Does nothing if the client has gone. */
export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'Content-Length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
