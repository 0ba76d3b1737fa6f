import { baseUrl, operationPath } from './base-url.ts';
import { extraHeaders, headerPrefix, headerValue, routingHeaders } from './headers.ts';
import type { parseInputs } from './parse.ts';
import { duration, flag, wholeNumber } from './values.ts';

/** How to reach one sandbox, and how long to try. */
export interface Connection {
  readonly sandboxId: string;
  /** The port that the agent listens on in the sandbox. */
  readonly port: number;
  /** Base URL without a slash at its end. */
  readonly baseUrl: string;
  readonly uploadPath: string;
  readonly statsPath: string;
  /** What every request carries: token, routing, and the user's own headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** What must not appear in anything the process leaves behind. */
  readonly secrets: readonly string[];
  /** Further attempts for each request, 0–10. */
  readonly retries: number;
  /** Longest time without progress, in milliseconds. */
  readonly timeoutMs: number;
}

const uploadPath = operationPath('/files');
const retries = wholeNumber(0, 10, 4);

/** The inputs that every task shares. */
export const reachSchema = {
  'sandbox-id': headerValue('the sandbox to reach', 'i1a2b3c4d5'),
  token: headerValue('the sandbox access token', '${{ steps.sandbox.outputs.token }}', true),
  'base-url': baseUrl,
  'allow-insecure-http': flag(false),
  port: wholeNumber(1, 65_535, 49_983),
  'header-prefix': headerPrefix,
  'stats-path': operationPath('/metrics'),
  headers: extraHeaders,
  timeout: duration(1, '60s'),
};

/** The inputs of the tasks that upload, or must have an answer to each request. */
export const connectionSchema = { ...reachSchema, 'upload-path': uploadPath, retries };

type Reach = ReturnType<typeof parseInputs<typeof reachSchema>>;
type Whole = ReturnType<typeof parseInputs<typeof connectionSchema>>;

/** Puts the parsed inputs of `connectionSchema` together; with those of `reachSchema` alone, nothing is tried again. */
export function toConnection(
  inputs: Reach & Partial<Pick<Whole, 'upload-path' | 'retries'>>,
  furtherSecrets: readonly string[] = [],
): Connection {
  const routing = routingHeaders(inputs['header-prefix']);
  return {
    sandboxId: inputs['sandbox-id'],
    port: inputs.port,
    baseUrl: inputs['base-url'],
    uploadPath: inputs['upload-path'] ?? '',
    statsPath: inputs['stats-path'],
    headers: {
      ...inputs.headers,
      'X-Access-Token': inputs.token,
      [routing.id]: inputs['sandbox-id'],
      [routing.port]: String(inputs.port),
    },
    secrets: [inputs.token, ...furtherSecrets].filter(secret => secret !== ''),
    retries: inputs.retries ?? 0,
    timeoutMs: inputs.timeout,
  };
}
