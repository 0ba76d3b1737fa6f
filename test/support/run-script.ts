import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { MARK_VARIABLE, wrapScript } from '../../src/command/shell.ts';
import { type Trailer, trailerCutter } from '../../src/command/trailer.ts';

interface ScriptOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A command that starts bash, such as `unshare`. */
  readonly before?: readonly string[];
  readonly onOutput?: (output: string, child: ChildProcess) => void;
}

/**
 * Runs a script on this machine, wrapped as it is sent to a sandbox. `stderr` is what passes the
 * script's own shell.
 */
export async function runScript(script: string, options: ScriptOptions = {}) {
  const { env = {}, before = [], onOutput = () => {} } = options;
  const mark = randomUUID();
  const id = randomUUID();
  const command = ['/bin/bash', '-l', '-c', wrapScript(script, id)];
  const [program = '', ...rest] = [...before, ...command];
  const child = spawn(program, rest, {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env, [MARK_VARIABLE]: mark },
    // Nobody ends stdin, as with agents that leave it open.
    stdio: 'pipe',
  });
  const seen: { output: Buffer[]; end?: Trailer } = { output: [] };
  const cutter = trailerCutter(mark, {
    onOutput(bytes) {
      seen.output.push(bytes);
      onOutput(String(bytes), child);
    },
    onTrailer: end => void (seen.end = end),
  });
  let stderr = '';
  const stream: Buffer[] = [];
  child.stdout.on('data', (bytes: Buffer) => {
    stream.push(bytes);
    cutter.write(bytes);
  });
  child.stderr.on('data', (bytes: Buffer) => (stderr += String(bytes)));
  const [exitCode] = await once(child, 'close');
  cutter.flush();
  const { output, end } = seen;
  assert.ok(!existsSync(`/tmp/sandbox-sync-${id}`), 'the temporary folder was left behind');
  const text = Buffer.concat(output).toString();
  return { output: text, stream: Buffer.concat(stream), stderr, exitCode, end, mark };
}
