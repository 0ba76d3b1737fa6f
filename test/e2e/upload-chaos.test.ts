import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { testChaos } from '../support/chaos.ts';
import {
  type Fault,
  type FaultAction,
  faultsInTurn,
  proxyError,
  statusFault,
} from '../support/faults.ts';
import { assertDelivered } from '../support/result.ts';
import { expectFailure, expectSuccess, uploadRequests } from '../support/run-action.ts';
import { type Files, openJob } from '../support/test-job.ts';

const RETRIES = 2;

/** Returns two faults per status: one answers after the body has arrived, one before. */
const answered = (...codes: readonly number[]): FaultAction[] =>
  codes.flatMap(code => [statusFault(code), statusFault(code, '', { early: true })]);

/** Retryable faults that also reduce the concurrency. */
const BUSY = answered(429, 503);

/** Other retryable faults. */
const RETRYABLE: readonly FaultAction[] = [
  ...answered(408, 409, 425, 500, 504),
  statusFault(502, proxyError('The sandbox is running but port is not open')),
  ...(['before-body', 'during-body', 'after-body'] as const).map(
    at => ({ kind: 'reset', at }) as const,
  ),
  { kind: 'truncate' },
];

/** Faults that fail a file without a retry. */
const REJECTIONS = answered(400, 404, 413, 418);

const SIZE = fc.oneof(
  fc.constantFrom(0, 1, 256 * 1024, 256 * 1024 + 1),
  fc.nat(4096),
  fc.nat(600 * 1024),
);

// Random content shows if blocks are swapped.
const CONTENT = SIZE.map(size => randomBytes(size));

function contentsOf(count: number): fc.Arbitrary<Files> {
  const contents = fc.array(CONTENT, { minLength: count, maxLength: count });
  return contents.map(all => Object.fromEntries(all.map((each, index) => [`file ${index}`, each])));
}

/** One fault per attempt of a file, in order. */
const ATTEMPTS = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 3, arbitrary: fc.array(fc.constantFrom(...RETRYABLE), { maxLength: RETRIES }) },
    ),
    fc.oneof(
      { weight: 6, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.constantFrom(...REJECTIONS).map(last => [last]) },
    ),
  )
  .map(lists => lists.flat());

// Only two files use up their retries, since a third failure in a row would end the transfer.
const lasting = Array.from({ length: RETRIES + 1 }, () => statusFault(500));

testChaos({
  name: 'each upload ends as its random faults predict',
  seeds: [1],
  chaos: fc.record({
    files: contentsOf(82),
    random: fc.array(ATTEMPTS, { minLength: 79, maxLength: 79 }),
    busy: fc.constantFrom(...BUSY),
  }),
  async run({ files, random, busy }) {
    const attempts = [...random, lasting, lasting, [busy]];
    const faults = attempts.flatMap((each, index) =>
      faultsInTurn({ on: 'upload', path: `file ${index}` }, each),
    );
    await using job = await openJob({ files, faults });
    const inputs = { retries: `${RETRIES}`, concurrency: '40' };
    const { report } = await expectFailure(job, inputs, { task: 'upload' });
    const expected = attempts.map((each, index) => {
      const isFailed = each === lasting || REJECTIONS.some(fault => fault === each.at(-1));
      const count = isFailed ? each.length : each.length + 1;
      return [`file ${index}`, [isFailed ? 'failed' : 'uploaded', count]] as const;
    });
    assert.deepEqual(
      new Map(report.upload.files.map(file => [file.source, [file.status, file.attempts]])),
      new Map(expected),
    );
    // Only check uploaded files, since a failed upload may have stored its file, too.
    for (const { source, status } of report.upload.files)
      if (status === 'uploaded') assert.deepEqual(job.readStored(source), files[source], source);
    const sum = expected.reduce((all, [, [, count]]) => all + Number(count), 0);
    assert.equal(uploadRequests(job).length, sum);
    return `${sum} requests`;
  },
});

testChaos({
  name: 'every file arrives in batches despite random faults',
  seeds: [1],
  chaos: fc.record({
    files: contentsOf(200),
    faults: fc.array(
      fc.record<Fault>({
        on: fc.constant('upload'),
        skip: fc.nat(20),
        times: fc.constant(1),
        do: fc.constantFrom(...RETRYABLE, ...BUSY),
      }),
      { minLength: 6, maxLength: 6 },
    ),
  }),
  async run({ files, faults }) {
    await using job = await openJob({ files, faults });
    // There are six faults in total, so six retries are always enough.
    const inputs = { retries: '6', 'files-per-request': '25' };
    const result = await expectSuccess(job, inputs, { task: 'upload' });
    const { length } = uploadRequests(job);
    assert.equal(result.report.upload.files.length, Object.keys(files).length);
    assertDelivered(job, result);
    assert.ok(length < Object.keys(files).length);
    return `${length} requests`;
  },
});
