import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CONNECTIONS, type Contender, HEADERS } from './contender.ts';
import type { E2bForm } from './e2b-process.ts';

/**
 * `files.write` of the package `e2b`: per file, with as many connections as the others, and as a
 * list. Empty if it is not installed.
 */
export function e2bContenders(): readonly Contender[] {
  if (e2bVersion() === null) return [];
  return [
    e2b('files.write, one Blob per call', 'one'),
    e2b('files.write, one stream per call', 'stream'),
    e2b('files.write, one list', 'list'),
  ];
}

/** The version of the package; null if it is not installed. */
export function e2bVersion(): string | null {
  try {
    import.meta.resolve('e2b');
  } catch {
    return null;
  }
  const { dependencies }: { dependencies: { e2b: string } } = JSON.parse(
    readFileSync(path.join(import.meta.dirname, '../package.json'), 'utf8'),
  );
  return dependencies.e2b;
}

function e2b(name: string, form: E2bForm): Contender {
  return {
    name: `e2b ${name}`,
    kind: `e2b ${form}`,
    async prepare({ folder, url, caFile }) {
      const task = {
        form,
        url,
        sandboxId: HEADERS['E2b-Sandbox-Id'],
        token: HEADERS['X-Access-Token'],
        concurrency: CONNECTIONS,
      };
      const args = [path.join(import.meta.dirname, 'e2b-process.ts'), JSON.stringify(task)];
      const env = { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: caFile };
      return { file: process.execPath, args, cwd: folder, env };
    },
  };
}
