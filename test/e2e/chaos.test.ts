import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Fault, type FaultAction, faultsInTurn, proxyError, statusFault } from './faults.ts';
import { assertDelivered, type Result } from './result.ts';
import { expectFailure, expectSuccess, uploadRequests } from './run-action.ts';
import { type Files, openJob, type TestJob } from './test-job.ts';

// CHAOS_SEEDS="1 2 3" tries these seeds instead.
const SEEDS = (process.env['CHAOS_SEEDS'] ?? '1').split(' ').map(Number);

const RETRIES = 2;

const AT = ['before-body', 'during-body', 'after-body'] as const;

/** Retryable faults that also lower the concurrency. */
const BUSY: readonly FaultAction[] = [429, 503].flatMap(code => [
  statusFault(code),
  statusFault(code, '', { early: true }),
]);

/** Other retryable faults. */
const RETRYABLE: readonly FaultAction[] = [
  ...[408, 409, 425, 500, 504].flatMap(code => [
    statusFault(code),
    statusFault(code, '', { early: true }),
  ]),
  statusFault(502, proxyError('The sandbox is running but port is not open')),
  ...AT.map(at => ({ kind: 'reset', at }) as const),
  { kind: 'truncate' },
];

/** Faults that fail a file without a retry. */
const REJECTIONS: readonly FaultAction[] = [400, 404, 413, 418].flatMap(code => [
  statusFault(code),
  statusFault(code, '', { early: true }),
]);

/** A file, the faults of its attempts one after the other, and its expected result. */
interface FileScenario {
  readonly content: Buffer;
  readonly faults: readonly FaultAction[];
  readonly status: 'uploaded' | 'failed';
  readonly attempts: number;
}

const SIZE = fc.oneof(
  fc.constantFrom(0, 1, 256 * 1024, 256 * 1024 + 1),
  fc.nat(4096),
  fc.nat(600 * 1024),
);

// Random bytes, so that swapped blocks differ.
const CONTENT = SIZE.map(size => randomBytes(size));

const RETRIED_FAULTS = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...RETRYABLE), { maxLength: RETRIES }) },
);

const LAST_FAULT = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom(...REJECTIONS) },
);

const SCENARIO: fc.Arbitrary<FileScenario> = fc
  .tuple(CONTENT, RETRIED_FAULTS, LAST_FAULT)
  .map(([content, before, last]) => ({
    content,
    faults: last === undefined ? before : [...before, last],
    status: last === undefined ? 'uploaded' : 'failed',
    attempts: before.length + 1,
  }));

/** Adds two files that use up their attempts; a third in a row would end the transfer. */
function scenariosOf(seed: number, count: number): Map<string, FileScenario> {
  const [, ...scenarios] = fc.sample(SCENARIO, { seed, numRuns: count });
  const [busy = statusFault(503)] = fc.sample(fc.constantFrom(...BUSY), { seed, numRuns: 1 });
  const lasting = Array.from({ length: RETRIES + 1 }, () => statusFault(500));
  const content = Buffer.from('x');
  const more: FileScenario[] = [
    { content, faults: lasting, status: 'failed', attempts: RETRIES + 1 },
    { content, faults: lasting, status: 'failed', attempts: RETRIES + 1 },
    { content, faults: [busy], status: 'uploaded', attempts: 2 },
  ];
  return new Map([...scenarios, ...more].map((scenario, index) => [`file ${index}`, scenario]));
}

function contentsOf(all: ReadonlyMap<string, { readonly content: Buffer }>): Files {
  return Object.fromEntries([...all].map(([name, { content }]) => [name, content]));
}

/** Asserts that files reported as uploaded are whole; a failed upload may have stored its file, too. */
function assertUploadedWhole(job: TestJob, { report }: Result, files: Files): void {
  for (const { source, status } of report.files)
    if (status === 'uploaded')
      assert.ok(job.readStored(source).equals(Buffer.from(files[source] ?? '')), source);
  assert.equal(report.files.length, Object.keys(files).length);
}

for (const seed of SEEDS) {
  test(`each file ends as its random faults predict (seed ${seed})`, async () => {
    const scenarios = scenariosOf(seed, 80);
    const files = contentsOf(scenarios);
    const faults = [...scenarios].flatMap(([name, scenario]) =>
      faultsInTurn({ on: 'upload', path: name }, scenario.faults),
    );
    await using job = await openJob({ files, faults });
    const inputs = { retries: `${RETRIES}`, concurrency: '40' };
    const result = await expectFailure(job, inputs, { task: 'upload' });
    assert.deepEqual(
      new Map(result.report.files.map(file => [file.source, [file.status, file.attempts]])),
      new Map([...scenarios].map(([name, { status, attempts }]) => [name, [status, attempts]])),
    );
    assertUploadedWhole(job, result, files);
    const sum = [...scenarios.values()].reduce((all, { attempts }) => all + attempts, 0);
    assert.equal(uploadRequests(job).length, sum);
  });

  test(`every file arrives in batches despite random faults (seed ${seed})`, async () => {
    const files = contentsOf(scenariosOf(seed, 200));
    const faults = fc.sample(
      fc.record<Fault>({
        on: fc.constant('upload'),
        skip: fc.nat(20),
        times: fc.constant(1),
        do: fc.constantFrom(...RETRYABLE, ...BUSY),
      }),
      { seed, numRuns: 6 },
    );
    await using job = await openJob({ files, faults });
    // With six faults in all, no request needs more than six retries.
    const inputs = { retries: '6', 'files-per-request': '25' };
    const result = await expectSuccess(job, inputs, { task: 'upload' });
    assert.equal(result.report.files.length, Object.keys(files).length);
    assertDelivered(job, result);
    assert.ok(uploadRequests(job).length < Object.keys(files).length);
  });
}
