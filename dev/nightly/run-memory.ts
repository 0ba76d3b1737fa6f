import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { startAgent } from '../agent/agent.ts';
import { prepareStep } from '../runner/step.ts';

// About 16 MiB are in use; the rest is garbage that V8 has yet to collect, so the peak varies.
const MAX_MIB = 256;

/** Commands that write 200 MB. */
const OUTPUTS: Readonly<Record<string, string>> = {
  lines: 'yes "$(printf %060d)" | head -c 200000000 || true',
  'line breaks alone': 'yes "" | head -c 200000000 || true',
  'one line': 'head -c 200000000 /dev/zero | tr "\\0" x',
};

/** Runs commands that write 200 MB each. Returns those for which the action takes too much memory. */
export async function runMemoryProblems(): Promise<string[]> {
  const problems: string[] = [];
  for (const [what, run] of Object.entries(OUTPUTS)) {
    const { ms, peakMib, exitCode } = await measure(run);
    console.log(`200 MB of ${what}: ${(ms / 1000).toFixed(1)} s, ${Math.round(peakMib)} MiB`);
    if (exitCode !== 0) problems.push(`run ended with ${exitCode} after 200 MB of ${what}`);
    if (peakMib === 0) problems.push('run shows no peak memory');
    if (peakMib > MAX_MIB)
      problems.push(
        `run took ${Math.round(peakMib)} MiB for 200 MB of ${what}, more than ${MAX_MIB}`,
      );
  }
  return problems;
}

async function measure(run: string) {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'sandbox-sync-memory-'));
  const temp = path.join(folder.path, 'temp');
  mkdirSync(temp);
  const sandbox = { sandboxId: 'memory', token: 'memory-token' };
  await using agent = await startAgent({ root: folder.path, ...sandbox, runCommands: true });
  const inputs = { 'sandbox-id': 'memory', token: sandbox.token, 'base-url': agent.url, run };
  const action = path.join(import.meta.dirname, '../../run');
  await using step = await prepareStep({ action, inputs, workspace: folder.path, temp });
  const { file, args, cwd, env } = step.command;
  const start = performance.now();
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let peakMib = 0;
  const timer = setInterval(() => {
    peakMib = Math.max(peakMib, peakOf(child.pid));
  }, 20);
  const [[exitCode]] = await Promise.all([once(child, 'exit'), text(child.stdout)]);
  clearInterval(timer);
  return { ms: performance.now() - start, peakMib, exitCode: Number(exitCode) };
}

/** Returns the high-water mark of a process in MiB; 0 if it has ended, or the system is not Linux. */
function peakOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
