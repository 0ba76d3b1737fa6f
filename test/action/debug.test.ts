import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { everyCase } from '../telling.ts';
import {
  type Inputs,
  manyFiles,
  openFaulty,
  openWorld,
  type Result,
  runAction,
  runBadly,
  runWell,
  type Task,
} from './harness.ts';

const ON = { env: { RUNNER_DEBUG: '1' } };

/** The debug log as the runner shows it. */
function debugLog({ lines }: Result): string {
  const shown = lines
    .filter(line => line.startsWith('::debug::'))
    .map(line => line.slice('::debug::'.length));
  return shown.join('\n').replaceAll('%25', '%');
}

/** Asserts that the debug log has a line for each pattern. */
function assertSays(result: Result, ...patterns: readonly RegExp[]): void {
  const log = debugLog(result);
  for (const pattern of patterns) assert.match(log, new RegExp(pattern.source, 'im'));
}

function count(result: Result, pattern: RegExp): number {
  return debugLog(result)
    .split('\n')
    .filter(line => pattern.test(line)).length;
}

suite('the debug log', { concurrency: 2 }, () => {
  test('says how each input was understood, and what was searched, planned and sent', async () => {
    await using world = await openWorld({
      files: { 'dist/a.txt': 'text', 'dist/b.map': 'map', 'dist/.env': '' },
    });
    const files = 'dist/** => /srv/app\n!**/*.map\nnothing/*';
    const inputs = { files, 'if-no-files-found': 'warn', headers: 'X-Build: 42', timeout: '30s' };
    const result = await runWell(world, inputs, ON);
    assertSays(
      result,
      /sandbox-sync\/\d.*Node\.js v\d/,
      /files.*"dist\/\*\*".*"\/srv\/app"/,
      /\*\*\/\*\.map/,
      /headers.*X-Build/,
      /timeout.*30 s/,
      /concurrency.*auto/,
      /"dist\/\*\*".*\b1 file\b/,
      /"nothing\/\*".*\b0 files\b/,
      /plan.*1 file.*4 bytes/,
      /cpu_used_pct 12\.5/,
    );
    assert.doesNotMatch(debugLog(result), /\b42\b.*X-Build|X-Build.*\b42\b/);
  });

  test('says what the state file and the shard leave to be done', async () => {
    await using world = await openWorld({ files: manyFiles(5) });
    const inputs = { files: 'f*', 'state-file': 'state.json' };
    await runWell(world, inputs);
    world.write({ 'f0.txt': 'changed' });
    assertSays(
      await runWell(world, inputs, ON),
      /state.*\b4\b.*unchanged/,
      /plan.*5 files.*1 file/,
    );
    assertSays(
      await runWell(world, { files: 'f*', shard: '1/2' }, ON),
      /shard.*1 of 2/,
      /2 of other shards/,
    );
  });

  test('says why a request failed, with its causes, and what was tried again', async () => {
    const busy = { kind: 'status', status: 503, body: '{"message":"not now"}' } as const;
    await using world = await openFaulty(busy, { times: 1 });
    assertSays(await runWell(world, {}, ON), /^Attempt 1 for a\.txt: .*POST .*503.*not now/);
    await world.agent.close();
    assertSays(
      await runBadly(world, { retries: '0' }, ON),
      /^Failed: a\.txt: .*POST /,
      /^- because of .*ECONNREFUSED/,
    );
  });

  test('is there for every entry, and for inputs that are wrong', async () => {
    await using world = await openWorld();
    const stats = await runWell(
      world,
      { samples: '2', 'sample-interval': '200ms' },
      { task: 'stats', ...ON },
    );
    assertSays(stats, /sample-interval.*200 ms/);
    assert.equal(count(stats, /^(reading|sample): .*cpu_used_pct 12\.5/i), 3);
    assert.notEqual(debugLog(await runBadly(world, { port: 'x' }, { task: 'upload', ...ON })), '');
    const run = { task: 'monitor', ...ON } as const;
    const post = await runWell(world, { 'sample-interval': '1h' }, run);
    assertSays(post, /interval.*1 h/);
    assertSays(
      await runWell(world, { 'sample-interval': '1h' }, { ...run, post }),
      /monitor.*2 samples/,
    );
  });

  const runs: readonly (readonly [Task, Inputs])[] = [
    ['sync', {}],
    ['upload', { 'dry-run': 'true' }],
    ['sync', { token: 'another' }],
    ['stats', { port: 'x' }],
  ];
  for (const [task, inputs] of everyCase ? runs : runs.slice(0, 1)) {
    test(`is all that step debugging adds to ${task} with ${JSON.stringify(inputs)}`, async () => {
      await using world = await openWorld({ files: { 'a.txt': 'a', 'b.txt': 'b' } });
      const fixed = task === 'stats' ? {} : { concurrency: '1' };
      const plain = await runAction(world, { ...fixed, ...inputs }, { task });
      const debug = await runAction(world, { ...fixed, ...inputs }, { task, ...ON });
      // The glob library always writes debug lines.
      assert.doesNotMatch(debugLog(plain), /input|request|plan/i);
      assert.notEqual(debugLog(debug), '');
      const [before, others] = [plain, debug].map(({ lines }) =>
        lines.filter(line => !line.startsWith('::debug::')),
      );
      assert.equal(untimed(before?.join('\n') ?? ''), untimed(others?.join('\n') ?? ''));
    });
  }
});

function untimed(text: string): string {
  return text.replace(/\b[\d.]+ m?s\b/g, 'some time');
}
