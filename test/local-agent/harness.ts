import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalAgent, startAgent } from '../../dev/agent/agent.ts';
import type { AgentOptions } from '../../dev/agent/options.ts';

export const TOKEN = 'a-token';
export const SANDBOX_ID = 'sandbox1';

/** Headers of a valid request. */
export const HEADERS = {
  Accept: 'application/json',
  'X-Access-Token': TOKEN,
  'Svc-Sandbox-Id': SANDBOX_ID,
  'Svc-Sandbox-Port': '49983',
};

export interface Sandbox extends AsyncDisposable {
  readonly agent: LocalAgent;
  /** A directory around the sandbox's root, removed with it. */
  readonly outside: string;
  readonly root: string;
  /** The text of a stored file, by its absolute path in the sandbox. */
  read(path: string): Promise<string>;
  /** Uploads one file to `path`. */
  put(path: string, content: string, headers?: Record<string, string>): Promise<Response>;
  post(
    query: string,
    body: NonNullable<RequestInit['body']>,
    headers?: Record<string, string>,
  ): Promise<Response>;
  stats(): Promise<Response>;
}

/** Starts an agent on a new temporary root. */
export async function openSandbox(options: Partial<AgentOptions> = {}): Promise<Sandbox> {
  const outside = mkdtempSync(join(tmpdir(), 'local-agent-'));
  const root = join(outside, 'root');
  const agent = await startAgent({ root, token: TOKEN, sandboxId: SANDBOX_ID, ...options });
  const post: Sandbox['post'] = (query, body, headers = {}) =>
    fetch(`${agent.url}/files${query}`, {
      method: 'POST',
      body,
      headers: { ...HEADERS, ...headers },
    });
  return {
    agent,
    outside,
    root,
    read: path => readFile(join(root, path), 'utf8'),
    put: (path, content, headers) =>
      post(`?path=${encodeURIComponent(path)}`, form([content]), headers),
    post,
    stats: () => fetch(`${agent.url}/metrics`, { headers: HEADERS }),
    async [Symbol.asyncDispose]() {
      await agent.close();
      await rm(outside, { recursive: true });
    },
  };
}

/** A form with one part named `file` per content. */
export function form(contents: readonly string[], names: readonly string[] = []): FormData {
  const data = new FormData();
  contents.forEach((content, index) => {
    data.append('file', new Blob([content]), names[index] ?? 'part');
  });
  return data;
}
