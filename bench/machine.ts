import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import path from 'node:path';
import { isE2bInstalled } from './contenders/e2b.ts';
import type { Machine } from './results.ts';

/** What the bench runs on and with. */
export function describeMachine(): Machine {
  const curl = execFileSync('curl', ['--version'], { encoding: 'utf8' });
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    kernel: `${type()} ${release()}`,
    node: process.version,
    curl: /^curl (\S+)/.exec(curl)?.[1] ?? 'unknown',
    e2b: isE2bInstalled() ? e2bVersion() : null,
  };
}

/** The version that bench/package.json asks for, exact. */
function e2bVersion(): string {
  const { dependencies }: { dependencies: { e2b: string } } = JSON.parse(
    readFileSync(path.join(import.meta.dirname, 'package.json'), 'utf8'),
  );
  return dependencies.e2b;
}
