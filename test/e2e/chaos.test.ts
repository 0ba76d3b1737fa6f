import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Fault, FaultAction } from '../../dev/agent/faults.ts';
import {
  assertDelivered,
  type Files,
  goodBetween,
  openWorld,
  type Result,
  runBadly,
  runWell,
  says,
  status,
  uploads,
  type World,
} from './harness.ts';

// Random faults: CHAOS_SEEDS="1 2 3" tries these seeds instead.
const SEEDS = (process.env['CHAOS_SEEDS'] ?? '1').split(' ').map(Number);

const RETRIES = 2;

const AT = ['before-body', 'during-body', 'after-body'] as const;

/** Faults after which another attempt follows. Those of `BUSY` also lower the concurrency. */
const BUSY: readonly FaultAction[] = [429, 503].flatMap(code => [
  status(code),
  status(code, '', { early: true }),
]);
const PASSING: readonly FaultAction[] = [
  ...[408, 409, 425, 500, 504].flatMap(code => [status(code), status(code, '', { early: true })]),
  status(502, says('The sandbox is running but port is not open')),
  ...AT.map(at => ({ kind: 'reset', at }) as const),
  { kind: 'truncate' },
];

/** Faults that fail one file at once. */
const ALONE: readonly FaultAction[] = [400, 404, 413, 418].flatMap(code => [
  status(code),
  status(code, '', { early: true }),
]);

/** A file, the faults of its attempts in turn, and its expected end. */
interface Fate {
  readonly content: Buffer;
  readonly faults: readonly FaultAction[];
  readonly ending: 'uploaded' | 'failed';
  readonly attempts: number;
}

const SIZE = fc.oneof(
  fc.constantFrom(0, 1, 256 * 1024, 256 * 1024 + 1),
  fc.nat(4096),
  fc.nat(600 * 1024),
);

// Random bytes, so that no swapped blocks are alike.
const CONTENT = SIZE.map(size => randomBytes(size));

const ATTEMPTS = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...PASSING), { maxLength: RETRIES }) },
);

const LAST = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom(...ALONE) },
  { weight: 1, arbitrary: fc.nat(5).map(ms => ({ kind: 'delay', ms }) as const) },
);

const FATE: fc.Arbitrary<Fate> = fc
  .tuple(CONTENT, ATTEMPTS, LAST)
  .map(([content, before, last]) => ({
    content,
    faults: last === undefined ? before : [...before, last],
    ending: last === undefined || last.kind === 'delay' ? 'uploaded' : 'failed',
    attempts: before.length + 1,
  }));

/** Files with a fate each. Two use up their attempts, since a third might end the transfer. */
function fatesOf(seed: number, count: number): Map<string, Fate> {
  const [, ...fates] = fc.sample(FATE, { seed, numRuns: count });
  const [busy = status(503)] = fc.sample(fc.constantFrom(...BUSY), { seed, numRuns: 1 });
  const lost = Array.from({ length: RETRIES + 1 }, () => status(500));
  const content = Buffer.from('x');
  const more: Fate[] = [
    { content, faults: lost, ending: 'failed', attempts: RETRIES + 1 },
    { content, faults: lost, ending: 'failed', attempts: RETRIES + 1 },
    { content, faults: [busy], ending: 'uploaded', attempts: 2 },
  ];
  return new Map([...fates, ...more].map((fate, index) => [`file ${index}`, fate]));
}

function once(path: string, faults: readonly FaultAction[]): Fault[] {
  return faults.map(fault => ({ on: 'upload', path, times: 1, do: fault }));
}

/** Asserts that every file that is reported as uploaded is in the sandbox, and nothing else. */
function assertContents(world: World, result: Result, files: Files): void {
  for (const { source, status: ending } of result.report.files)
    if (ending === 'uploaded')
      assert.ok(world.stored(source).equals(Buffer.from(files[source] ?? '')), source);
  assert.equal(result.report.files.length, Object.keys(files).length);
}

describe('under random faults', () => {
  for (const seed of SEEDS) {
    test(`each file meets its predicted fate, with seed ${seed}`, async () => {
      const fates = fatesOf(seed, 80);
      const files = Object.fromEntries([...fates].map(([name, { content }]) => [name, content]));
      const faults = [...fates].flatMap(([name, fate]) => once(name, fate.faults));
      await using world = await openWorld({ files, faults });
      const inputs = { retries: `${RETRIES}`, concurrency: '40' };
      const result = await runBadly(world, inputs, { task: 'upload' });
      assert.deepEqual(
        new Map(result.report.files.map(file => [file.source, [file.status, file.attempts]])),
        new Map([...fates].map(([name, { ending, attempts }]) => [name, [ending, attempts]])),
      );
      assertContents(world, result, files);
      const sum = [...fates.values()].reduce((all, { attempts }) => all + attempts, 0);
      assert.equal(uploads(world).length, sum);
      assert.ok(world.agent.maxInFlight <= 40);
    });

    test(`every file arrives in batches, with seed ${seed}`, async () => {
      const fates = fatesOf(seed, 200);
      const files = Object.fromEntries([...fates].map(([name, { content }]) => [name, content]));
      const hits = fc.sample(
        fc.record({ skip: fc.nat(20), fault: fc.constantFrom(...PASSING, ...BUSY) }),
        { seed, numRuns: 6 },
      );
      const faults = hits.map(
        ({ skip, fault }): Fault => ({ on: 'upload', skip, times: 1, do: fault }),
      );
      await using world = await openWorld({ files, faults });
      // No request can meet more faults than there are.
      const inputs = { retries: '6', 'files-per-request': '25' };
      const result = await runWell(world, inputs, { task: 'upload' });
      assertContents(world, result, files);
      assertDelivered(world, result);
      assert.ok(uploads(world).length < Object.keys(files).length);
    });
  }
});

describe('every combination of fault and size', () => {
  const SIZES = [0, 40, 256 * 1024 + 1, 3 * 1024 * 1024];
  const cells = (faults: readonly FaultAction[]) =>
    faults.flatMap((fault, index) =>
      SIZES.map(size => {
        const name = `${String(index).padStart(2, '0')} ${fault.kind}, ${size}`;
        return { name, fault, content: randomBytes(size) };
      }),
    );
  const filesOf = (all: ReturnType<typeof cells>): Files =>
    Object.fromEntries(all.map(({ name, content }) => [name, content]));

  test('is survived if it passes', async () => {
    const all = cells([...PASSING, ...BUSY]);
    const faults = all.flatMap(({ name, fault }) => once(name, [fault]));
    await using world = await openWorld({ files: filesOf(all), faults });
    const result = await runWell(world, { concurrency: '100', retries: '1' }, { task: 'upload' });
    assertContents(world, result, filesOf(all));
    assertDelivered(world, result);
    assert.equal(uploads(world).length, 2 * all.length);
  });

  test('is reported if it lasts, and only the others count as uploaded', async () => {
    const all = cells([...PASSING, ...BUSY, ...ALONE]);
    const files = { ...filesOf(all), ...goodBetween(all.map(({ name }) => name)) };
    const faults = all.map(({ name, fault }): Fault => ({ on: 'upload', path: name, do: fault }));
    await using world = await openWorld({ files, faults });
    const inputs = { concurrency: '1', retries: '0' };
    const result = await runBadly(world, inputs, { task: 'upload' });
    assertContents(world, result, files);
    for (const { name } of all) {
      assert.equal(result.file(name).status, 'failed', name);
      assert.equal(result.file(`${name}~`).status, 'uploaded', name);
      assert.notEqual(result.file(name).error?.hint, '', name);
    }
  });
});
