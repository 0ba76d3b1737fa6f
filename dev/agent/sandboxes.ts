import { randomUUID } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type AgentOptions, createAgent } from './agent.ts';
import { refuse } from './answer.ts';

interface Settings {
  /** Name of a template, all of which are empty, or ID of a snapshot. */
  readonly template?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Environment variables of all commands. */
  readonly env?: Readonly<Record<string, string>>;
}

export type Sandboxes = ReturnType<typeof openSandboxes>;

export interface Sandbox extends ReturnType<typeof createAgent>, Required<Settings> {
  /** Unix times in milliseconds. */
  readonly startedAt: number;
  endsAt: number;
}

/** By default, each sandbox's root is in `folder`, named by its ID. */
export function openSandboxes(folder: string, options: AgentOptions) {
  const running = new Map<string, Sandbox>();
  const created: Sandbox[] = [];
  const snapshots = openSnapshots(folder);

  function remove(sandbox: Sandbox): void {
    if (running.get(sandbox.id) === sandbox) running.delete(sandbox.id);
    sandbox.end();
  }

  return {
    created,
    snapshots,
    running: () => [...running.keys()],
    all: () => [...running.values()],
    find: (id: string) => running.get(id),
    /**
     * Creates a sandbox that runs until it is removed, by default with a random ID, a random token
     * and a new folder.
     */
    create(
      id = `i${randomUUID().slice(0, 8)}`,
      token: string = randomUUID(),
      root = path.join(folder, id),
      { template = 'base', metadata = {}, env = {} }: Settings = {},
    ): Sandbox {
      snapshots.restore(template, root);
      const agent = createAgent(id, token, root, env, options);
      const startedAt = Date.now();
      const sandbox = { ...agent, template, metadata, env, startedAt, endsAt: startedAt + DAY_MS };
      running.set(id, sandbox);
      created.push(sandbox);
      return sandbox;
    },
    remove,
    /** Ends the sandbox at this Unix time in milliseconds, unless this is called again. */
    endAt(sandbox: Sandbox, time: number): void {
      sandbox.endsAt = time;
      const end = () => sandbox.endsAt === time && remove(sandbox);
      setTimeout(end, time - Date.now()).unref();
    },
  };
}

const DAY_MS = 24 * 3_600_000;

const COPY = { recursive: true, verbatimSymlinks: true };

/** Keeps copies of sandboxes' roots in `folder`, from which others can start. */
function openSnapshots(folder: string) {
  const ids = new Set<string>();
  const copyOf = (id: string) => path.join(folder, id.replace(':', '-'));
  return {
    /** Returns the new snapshot's ID. */
    take(root: string): string {
      const id = `snapshot-${randomUUID().slice(0, 8)}:default`;
      cpSync(root, copyOf(id), COPY);
      ids.add(id);
      return id;
    },
    /** Fills a new root, unless the template is no snapshot. @throws Refusal if it is gone */
    restore(template: string, root: string): void {
      if (ids.has(template)) cpSync(copyOf(template), root, COPY);
      // Only snapshots have tags here.
      else if (template.includes(':')) throw refuse(404, `template '${template}' not found`);
    },
    /** @throws Refusal if there is no such snapshot */
    remove(id: string): void {
      if (!ids.delete(id)) throw refuse(404, `template '${id}' not found`);
      rmSync(copyOf(id), { recursive: true, force: true });
    },
  };
}
