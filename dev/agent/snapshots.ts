import { randomUUID } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { refuse } from './answer.ts';

const COPY = { recursive: true, verbatimSymlinks: true };

/** Keeps copies of sandboxes' roots in `folder`, from which others can start. */
export function openSnapshots(folder: string) {
  /** Maps IDs of snapshots to their copies. */
  const copies = new Map<string, string>();
  return {
    /** Returns the new snapshot's ID. Replaces a snapshot of the same name. */
    take(root: string, name: string = randomUUID().slice(0, 8)): string {
      const copy = path.join(folder, `snapshot-${name.replace(/\W/g, '-')}`);
      rmSync(copy, { recursive: true, force: true });
      cpSync(root, copy, COPY);
      copies.set(withTag(name), copy);
      return withTag(name);
    },
    /** Fills a new root, unless the template is no snapshot. @throws Refusal if it is gone */
    restore(template: string, root: string): void {
      const copy = copies.get(withTag(template));
      if (copy !== undefined) cpSync(copy, root, COPY);
      // Only snapshots have tags here.
      else if (template.includes(':')) throw refuse(404, `template '${template}' not found`);
    },
    /** @throws Refusal if there is no such snapshot */
    remove(id: string): void {
      const copy = copies.get(withTag(id));
      if (copy === undefined) throw refuse(404, `template '${id}' not found`);
      copies.delete(withTag(id));
      rmSync(copy, { recursive: true, force: true });
    },
  };
}

function withTag(template: string): string {
  return template.includes(':') ? template : `${template}:default`;
}
