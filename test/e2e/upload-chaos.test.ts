import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { testChaos } from '../support/chaos.ts';
import { type FaultAction, faultsInTurn, proxyError, statusFault } from '../support/faults.ts';
import { runAction, uploadRequests } from '../support/run-action.ts';
import { type Files, openJob } from '../support/test-job.ts';

const RETRIES = 2;

/** Returns two faults per status: one answers after the body has arrived, one before. */
const answered = (...codes: readonly number[]): FaultAction[] =>
  codes.flatMap(code => [statusFault(code), statusFault(code, '', { early: true })]);

const RETRYABLE: readonly FaultAction[] = [
  ...answered(408, 409, 425, 429, 500, 503, 504),
  statusFault(502, proxyError('The sandbox is running but port is not open')),
  { kind: 'reset', at: 'before-body' },
  { kind: 'reset', at: 'during-body' },
  { kind: 'reset', at: 'after-body' },
  { kind: 'truncate' },
];

/** Faults that fail a file without a retry. */
const REJECTIONS = answered(400, 404, 413, 418);

const SIZE = fc.oneof(
  fc.constantFrom(0, 1, 256 * 1024, 256 * 1024 + 1),
  fc.nat(4096),
  fc.nat(600 * 1024),
);

/** Names and contents of files. Random content shows if blocks are swapped. */
function filesOf(count: number): fc.Arbitrary<Files> {
  const sizes = fc.array(SIZE, { minLength: count, maxLength: count });
  return sizes.map(all =>
    Object.fromEntries(all.map((size, index) => [`file ${index}`, randomBytes(size)])),
  );
}

/** One fault per attempt of a file, in order. */
const ATTEMPTS = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...RETRYABLE), { maxLength: RETRIES }) },
  { weight: 1, arbitrary: fc.constantFrom(...REJECTIONS).map(fault => [fault]) },
);

testChaos({
  name: 'each upload ends as its random faults predict',
  seeds: [1],
  chaos: fc.record({
    files: filesOf(80),
    attempts: fc.array(ATTEMPTS, { minLength: 80, maxLength: 80 }),
  }),
  async run({ files, attempts }) {
    const faults = attempts.flatMap((each, index) =>
      faultsInTurn({ on: 'upload', path: `file ${index}` }, each),
    );
    await using job = await openJob({ files, faults });
    const inputs = { retries: `${RETRIES}`, concurrency: '40' };
    const { report } = await runAction(job, inputs, { task: 'upload' });
    const expected = attempts.map(each => {
      const isRejected = REJECTIONS.some(fault => fault === each.at(-1));
      return isRejected ? ['failed', each.length] : ['uploaded', each.length + 1];
    });
    assert.deepEqual(
      new Map(report.upload.files.map(file => [file.source, [file.status, file.attempts]])),
      new Map(expected.map((end, index) => [`file ${index}`, end])),
    );
    // Only check uploaded files, since a failed upload may have stored its file, too.
    for (const { source, status } of report.upload.files)
      if (status === 'uploaded') assert.deepEqual(job.readStored(source), files[source], source);
    return `${uploadRequests(job).length} requests`;
  },
});
