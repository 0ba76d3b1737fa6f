import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem, type } from 'node:os';
import { e2bVersion } from './contenders/e2b.ts';
import type { Machine } from './results.ts';

export function describeMachine(): Machine {
  const curl = execFileSync('curl', ['--version'], { encoding: 'utf8' });
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    kernel: `${type()} ${release()}`,
    node: process.version,
    curl: /^curl (\S+)/.exec(curl)?.[1] ?? 'unknown',
    e2b: e2bVersion(),
  };
}
