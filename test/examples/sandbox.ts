import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type LocalAgent, startAgent } from '../../local-agent/agent.ts';
import type { AgentOptions } from '../../local-agent/options.ts';
import { type Keys, openProxy } from '../action/proxy.ts';

/** A sandbox whose agent speaks HTTPS, and a proxy by which every host name leads to it. */
export interface Sandbox extends AsyncDisposable {
  readonly id: string;
  readonly agent: LocalAgent;
  readonly proxy: Awaited<ReturnType<typeof openProxy>>;
  /** The home directory of its user, on this machine. */
  readonly home: string;
}

export interface SandboxOptions extends Partial<AgentOptions> {
  readonly keys: Keys;
  readonly root: string;
}

const METRICS = {
  cpu_count: 4,
  cpu_used_pct: 5,
  mem_total: 2 ** 33,
  mem_used: 2 ** 31,
  disk_total: 2 ** 34,
  disk_used: 2 ** 33,
};

/** Metrics of a calm sandbox, but for those given. */
export function metricsWith(more: Partial<typeof METRICS>): typeof METRICS {
  return { ...METRICS, ...more };
}

/** The token of a sandbox, as create-sandbox.sh prints it too. */
export function tokenOf(id: string): string {
  return `token-of-${id}`;
}

/** Starts a sandbox. Its id is `box` unless given. */
export async function openSandbox({ keys, ...options }: SandboxOptions): Promise<Sandbox> {
  const { sandboxId: id = 'box', root } = options;
  const agent = await startAgent({
    token: tokenOf(id),
    sandboxId: id,
    headerPrefix: 'E2b',
    metrics: () => METRICS,
    tls: keys,
    ...options,
  });
  const proxy = await openProxy({ tunnelTo: agent.url });
  return {
    id,
    agent,
    proxy,
    home: path.join(root, 'home/user'),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await agent.close();
    },
  };
}

/** How many uploads it answered, or refused. */
export function uploadsTo({ agent }: Sandbox): number {
  return agent.requests.filter(({ method }) => method === 'POST').length;
}

/** Every file below a folder, by its path with slashes. */
export function filesBelow(folder: string): Readonly<Record<string, Buffer>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  return Object.fromEntries(
    files.map(entry => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(folder, file).replaceAll(path.sep, '/'), readFileSync(file)];
    }),
  );
}
