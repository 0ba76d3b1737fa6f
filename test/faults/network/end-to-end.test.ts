import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { runAction, uploads } from '../../action/harness.ts';
import { hasOpenssl, makeKeys } from '../../action/proxy.ts';
import { HIT, openCell, type Size } from './cell.ts';
import { assertNothingLost } from './place.ts';
import { type Lasting, OUTCOMES, RETRIES, ROWS } from './rows.ts';

/** Cells of the matrix that the built action is put through, its waits included. */
const CELLS: readonly (readonly [row: string, Lasting, Size])[] = [
  ['reset during-body', 'once', 'streamed'],
  ['reset after-body', 'for a while', 'small'],
  ['hang-up before-body', 'once', 'streamed'],
  ['stall while answering', 'once', 'streamed'],
  ['stall while sending', 'once', 'streamed'],
  ['429 with Retry-After: no seconds', 'once', 'small'],
  ['503 before the body', 'for ever', 'streamed'],
  ['502 port not open', 'once', 'small'],
  ['502 sandbox not found', 'for ever', 'small'],
  ['unknown certificate', 'for ever', 'small'],
  ['no TLS at all', 'once', 'small'],
  ['401', 'for ever', 'streamed'],
  ['413 before the body', 'for ever', 'streamed'],
];

suite('the built action', { concurrency: 4 }, () => {
  for (const [name, lasting, size] of CELLS) {
    const row = ROWS.find(each => each.name === name) ?? assert.fail(`there is no row ${name}`);
    const outcome = OUTCOMES[row.sort][lasting];
    const skip = row.kind === 'tls' && !hasOpenssl && 'needs openssl';
    test(`ends as the matrix says: ${name} ${lasting}, ${size}`, { skip }, async () => {
      const keys = () =>
        hasOpenssl ? makeKeys() : { key: '', cert: '', certFile: '', [Symbol.dispose]() {} };
      using trusted = keys();
      using unknown = keys();
      await using cell = await openCell(row, lasting, size, { trusted, unknown, names: new Set() });
      const { world } = cell.place;
      const inputs = { concurrency: '1', retries: `${RETRIES}`, files: `${HIT}\n**`, ...cell.inputs };
      const timeout = row.timeout === undefined ? {} : { timeout: row.timeout };
      const env = { NODE_EXTRA_CA_CERTS: trusted.certFile, HTTPS_PROXY: '', HTTP_PROXY: '' };
      const result = await runAction(world, { ...inputs, ...timeout }, { task: 'upload', env });
      assert.equal(result.code, outcome.exitCode, result.stdout + result.stderr);
      const [hit, next] = result.report.files;
      assert.deepEqual([hit?.status, hit?.attempts], [outcome.status, outcome.attempts], result.stdout);
      assert.equal(next?.status, outcome.goesOn ? 'uploaded' : 'not-attempted');
      assert.equal(hit?.error?.kind, outcome.status === 'failed' ? row.kind : undefined);
      if (cell.reachable) assert.equal(uploads(world).length, outcome.attempts + (outcome.goesOn ? 1 : 0));
      const said = result.report.files.map(({ source, status }) => ({ name: source, status }));
      assertNothingLost(cell.place, said, outcome.status === 'uploaded');
    });
  }
});
