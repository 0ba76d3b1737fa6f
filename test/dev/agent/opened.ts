import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startAgent } from '../../../dev/agent/agent.ts';
import type { AgentOptions } from '../../../dev/agent/options.ts';

/** Headers of a valid request. */
export const HEADERS = {
  Accept: 'application/json',
  'X-Access-Token': 'a-token',
  'Svc-Sandbox-Id': 'box',
  'Svc-Sandbox-Port': '49983',
};

/** Starts an agent in a new folder, whose `root` is the sandbox's `/`. */
export async function openSandbox(options: Partial<AgentOptions> = {}) {
  const outside = mkdtempSync(path.join(tmpdir(), 'local-agent-'));
  const root = path.join(outside, 'root');
  const agent = await startAgent({ root, token: 'a-token', sandboxId: 'box', ...options });
  const post = (query: string, body: FormData | string, headers: Record<string, string> = {}) =>
    fetch(`${agent.url}/files${query}`, {
      method: 'POST',
      body,
      headers: { ...HEADERS, ...headers },
    });
  return {
    agent,
    outside,
    root,
    post,
    read: (name: string) => readFile(path.join(root, name), 'utf8'),
    put: (name: string, content: string, headers?: Record<string, string>) =>
      post(`?path=${encodeURIComponent(name)}`, form([content]), headers),
    stats: (headers: Record<string, string> = HEADERS) =>
      fetch(`${agent.url}/metrics`, { headers }),
    async [Symbol.asyncDispose]() {
      await agent.close();
      await rm(outside, { recursive: true });
    },
  };
}

/** A form with one part named `file` per content. */
export function form(contents: readonly string[], names: readonly string[] = []): FormData {
  const data = new FormData();
  for (const [index, content] of contents.entries())
    data.append('file', new Blob([content]), names[index] ?? 'part');
  return data;
}
