import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { hasOpenssl } from '../../dev/agent/keys.ts';
import { placeText } from '../../dev/bench/places.ts';
import type { Results } from '../../dev/bench/results.ts';
import { workloads } from '../../dev/bench/workloads.ts';

const MAIN = path.resolve(import.meta.dirname, '../../dev/bench/main.ts');
const OWN = ['action', 'curl -Z', 'curl loop'];

test('a quick run measures every contender that needs no package, and all of them deliver', async t => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandbox-sync-bench-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const json = path.join(folder, 'results.json');
  // The run fails if a contender does not deliver everything.
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, '--quick', '--json', json]);
  const { rows, coldStarts, samplerPeakBytes, leftOut }: Results = JSON.parse(
    readFileSync(json, 'utf8'),
  );
  for (const { name, kinds, places, sizes } of workloads(true)) {
    for (const kind of kinds.filter(each => OWN.includes(each))) {
      const found = rows.filter(row => row.workload === name && row.kind === kind);
      const reached = places.filter(
        place => (hasOpenssl || !place.tls) && (kind !== 'curl loop' || placeText(place) === ''),
      );
      assert.deepEqual(
        [...new Set(found.map(row => row.place))],
        reached.map(placeText),
        `${name}: ${kind}`,
      );
      for (const row of found) {
        assert.equal(row.files, sizes.length);
        assert.ok(row.medianMs > 0);
      }
    }
  }
  assert.ok(
    rows.some(row => row.kind.startsWith('e2b')) || leftOut.some(each => each.startsWith('e2b')),
  );
  assert.deepEqual(
    coldStarts.map(start => start.entry),
    ['node -e 0', 'sync', 'upload', 'stats', 'monitor', 'monitor-post'],
  );
  if (existsSync('/proc/self/status')) assert.ok((samplerPeakBytes ?? 0) > 20 * 1024 ** 2);
  assert.match(stdout, /^\| 20 × 4 KiB \| \d/m);
});
