import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type AgentOptions, createSandbox, type Sandbox } from './agent.ts';

export interface SandboxesOptions extends AgentOptions {
  /** By default, contains each sandbox's root, named by its ID. */
  readonly folder: string;
}

export type Sandboxes = ReturnType<typeof openSandboxes>;

export function openSandboxes({ folder, ...options }: SandboxesOptions) {
  const running = new Map<string, Sandbox>();
  const created: Sandbox[] = [];
  return {
    created,
    running: () => [...running.keys()],
    /** Creates a sandbox, by default with a random ID, a random token and a new folder. */
    create(
      id = `i${randomUUID().slice(0, 8)}`,
      token: string = randomUUID(),
      root = path.join(folder, id),
    ) {
      const sandbox = createSandbox(id, token, root, options);
      running.set(id, sandbox);
      created.push(sandbox);
      return sandbox;
    },
    find: (id: string) => running.get(id),
    remove(sandbox: Sandbox) {
      running.delete(sandbox.id);
      sandbox.end();
    },
  };
}
