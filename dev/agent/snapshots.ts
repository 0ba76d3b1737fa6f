import { randomUUID } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { refuse } from './answer.ts';

const COPY = { recursive: true, verbatimSymlinks: true };

/** Keeps copies of sandboxes' roots in `folder`, from which others can start. */
export function openSnapshots(folder: string) {
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
