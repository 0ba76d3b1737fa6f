import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<OutgoingHttpHeaders>;
  readonly body: string | Buffer;
}

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(String(answer.body));
    this.answer = answer;
  }
}

/** Creates an error answer in the JSON format that envd and the API share. */
export function refuse(status: number, message: string): Refusal {
  return new Refusal(jsonAnswer({ code: status, message }, status));
}

/** Creates the plain-text 404 of envd's HTTP library. */
export function unknownPath(): Refusal {
  return new Refusal(textAnswer('404 page not found', 404));
}

export function errorAnswer(error: unknown): Answer {
  if (error instanceof Refusal) return error.answer;
  return refuse(500, error instanceof Error ? error.message : String(error)).answer;
}

export function jsonAnswer(value: object, status = 200): Answer {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  return { status, headers, body: JSON.stringify(value) };
}

export function textAnswer(body: string, status = 200): Answer {
  return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body };
}

/** Sends an answer unless the client has disconnected or another answer has already begun. */
export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'Content-Length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

export type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields of decoded JSON, or {} for anything but an object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
