import path from 'node:path';
import { CONNECTIONS, type Contender, HEADERS, nodeScript } from './contender.ts';
import type { E2bForm } from './e2b-process.ts';

/** The package `e2b`: its `files.write` for each file, as many at once as the others have connections, and for a list. */
export const e2bContenders: readonly Contender[] = [
  e2b('files.write, a Blob a call', 'one'),
  e2b('files.write, a stream a call', 'stream'),
  e2b('files.write, one list', 'list'),
];

/** Whether the package is installed; it is none of the project's own. */
export function isE2bInstalled(): boolean {
  try {
    import.meta.resolve('e2b');
    return true;
  } catch {
    return false;
  }
}

function e2b(name: string, form: E2bForm): Contender {
  return {
    name: `e2b ${name}`,
    kind: `e2b ${form}`,
    prepare: async job =>
      nodeScript(path.join(import.meta.dirname, 'e2b-process.ts'), job, {
        form,
        url: job.url,
        sandboxId: HEADERS['E2b-Sandbox-Id'],
        token: HEADERS['X-Access-Token'],
        concurrency: CONNECTIONS,
      }),
  };
}
