import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'rolldown';
import configs from '../rolldown.config.ts';

// Fails unless dist holds exactly what the sources build: what runs is what was reviewed.

const DIST = path.join(path.dirname(import.meta.dirname), 'dist');

const fresh = await mkdtemp(path.join(tmpdir(), 'sandbox-sync-dist-'));
try {
  for (const config of configs) await build({ ...config, output: { ...config.output, dir: fresh } });
  const names = new Set([...(await readdir(DIST)), ...(await readdir(fresh))]);
  const differing: string[] = [];
  for (const name of names) if (!(await isSame(name))) differing.push(name);
  if (differing.length > 0) {
    console.error(`dist is not what the sources build: ${differing.join(', ')}. Run npm run build and commit dist.`);
    process.exitCode = 1;
  }
} finally {
  await rm(fresh, { recursive: true });
}

async function isSame(name: string): Promise<boolean> {
  const [committed, built] = await Promise.all(
    [DIST, fresh].map(folder => readFile(path.join(folder, name)).catch(() => undefined)),
  );
  return committed !== undefined && built !== undefined && committed.equals(built);
}
