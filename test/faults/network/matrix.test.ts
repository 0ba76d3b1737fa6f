import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { hasOpenssl, makeKeys } from '../../action/proxy.ts';
import { proxyVariables, trust } from '../../agent/sockets.ts';
import { type Cell, openCell, type Size } from './cell.ts';
import { resolveNames } from './front.ts';
import { assertNothingLost, drive, type Run, saidIn } from './place.ts';
import { LASTS, type Lasting, OUTCOMES, type Outcome, RETRIES, ROWS, type Row } from './rows.ts';

// The way to the agents of this test is direct, whatever the machine's own is.
proxyVariables({});

const names = resolveNames('.sandbox.test');

const keys = () => (hasOpenssl ? makeKeys() : { key: '', cert: '', certFile: '', [Symbol.dispose]() {} });
using trusted = keys();
using unknown = keys();
if (hasOpenssl) trust(trusted);
const shared = { trusted, unknown, names };

const LASTINGS: readonly Lasting[] = ['once', 'for a while', 'for ever'];
const SIZES: readonly Size[] = ['small', 'streamed'];
const CELLS = ROWS.flatMap(row =>
  LASTINGS.flatMap(lasting =>
    SIZES.map(size => ({ row, lasting, size, outcome: OUTCOMES[row.sort][lasting] })),
  ),
);

const seen = { cells: 0, attempts: 0, faults: 0, files: 0 };

suite('a fault of the network', { concurrency: 8 }, () => {
  for (const { row, lasting, size, outcome } of CELLS) {
    const skip = row.kind === 'tls' && !hasOpenssl && 'needs openssl';
    test(`${row.name} ${lasting}, ${size}: ${wordsFor(outcome)}`, { skip }, async () => {
      await using cell = await openCell(row, lasting, size, shared);
      const inputs = { concurrency: '1', retries: `${RETRIES}`, ...cell.inputs };
      const timeout = row.timeout === undefined ? {} : { timeout: row.timeout };
      const run = await drive(cell.place, { ...inputs, ...timeout }, cell.onWait);
      assertOutcome(run, row, outcome);
      assertWaits(run, row, outcome);
      assertRequests(run, cell);
      assertNothingLost(cell.place, saidIn(run), lasting !== 'for ever' && row.sort.startsWith('may pass'));
      seen.cells += 1;
      seen.attempts += run.attempts;
      seen.faults += Math.min(LASTS[lasting], outcome.attempts);
      seen.files += run.report.files.length;
    });
  }
});

test('the matrix is whole', t => {
  const expected = CELLS.filter(({ row }) => hasOpenssl || row.kind !== 'tls').length;
  assert.equal(seen.cells, expected);
  t.diagnostic(
    `${seen.cells} cells, ${seen.faults} faults injected, ${seen.attempts} attempts, ${seen.files} files checked`,
  );
});

function wordsFor({ status, attempts, goesOn }: Outcome): string {
  return `${status} after ${attempts}, ${goesOn ? 'the next one follows' : 'and that ends it'}`;
}

function assertOutcome({ report, exitCode }: Run, { kind, fault }: Row, outcome: Outcome): void {
  const [hit, next] = report.files;
  assert.ok(hit !== undefined && 'attempts' in hit, hit?.status);
  const error = hit.status === 'failed' ? hit.error : undefined;
  assert.deepEqual([hit.status, hit.attempts], [outcome.status, outcome.attempts], error?.message);
  assert.equal(next?.status, outcome.goesOn ? 'uploaded' : 'not-attempted');
  assert.equal(exitCode, outcome.exitCode);
  if (error === undefined) return;
  assert.equal(error.kind, kind, error.message);
  const answered = typeof fault === 'object' && fault.kind === 'status' ? fault.status : undefined;
  assert.equal(error.status, answered);
  assert.notEqual(error.hint, '');
}

/** Each wait is as long as the answer asks for, a minute at most, and else what the attempts so far give. */
function assertWaits({ delays }: Run, { asksFor = 0 }: Row, { attempts }: Outcome): void {
  const usual = [250, 500, 1000].slice(0, attempts - 1);
  assert.deepEqual(
    delays,
    usual.map(ms => Math.max(ms, asksFor)),
  );
}

function assertRequests({ attempts }: Run, { place, reachable }: Cell): void {
  const { length } = place.world.agent.requests;
  if (reachable) assert.equal(length, attempts);
  else assert.ok(length <= attempts, `${length} requests in ${attempts} attempts`);
}
