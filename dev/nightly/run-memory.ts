import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startService } from '../agent/service.ts';
import { measure } from '../runner/measure.ts';
import { runStep } from '../runner/step.ts';

// About 16 MiB are in use. The peak is higher and varies, since V8 collects garbage late.
const MAX_MIB = 256;

const OUTPUTS: Readonly<Record<string, string>> = {
  lines: 'yes "$(printf %060d)" | head -c 200000000 || true',
  'line breaks alone': 'yes "" | head -c 200000000 || true',
  'one line': 'head -c 200000000 /dev/zero | tr "\\0" x',
};

/** Runs commands that write 200 MB each. Returns those that make the action exceed its limit. */
export async function runMemoryProblems(): Promise<string[]> {
  const problems: string[] = [];
  for (const [what, run] of Object.entries(OUTPUTS)) {
    const seen = await measureRun(run).catch(String);
    const text = typeof seen === 'string' ? seen : `${Math.round(seen.peakMib)} MiB`;
    console.log(`200 MB of ${what}: ${text}`);
    if (typeof seen === 'string' || seen.peakMib > MAX_MIB)
      problems.push(`run, 200 MB of ${what}: ${text}, where ${MAX_MIB} MiB are allowed`);
  }
  return problems;
}

async function measureRun(run: string) {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'sandbox-sync-memory-'));
  await using service = await startService({ folder: folder.path, runCommands: true });
  const { id, token } = service.create();
  const connection = { 'sandbox-id': id, token, 'base-url': service.url, 'header-prefix': 'E2b' };
  const place = { workspace: folder.path, temp: folder.path };
  const action = path.join(import.meta.dirname, '../../run');
  const inputs = { ...connection, run };
  return await measure(onStart => runStep({ action, inputs, ...place, onStart }));
}
