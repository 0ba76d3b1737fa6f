import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { manyFiles, openFaulty, openWorld, type Result, runBadly, runWell, TOKEN } from './harness.ts';

/** Names that a runner or a terminal would act on. */
const NAMES = [
  '::error::forged',
  'a\n::set-output name=x::y',
  'b\r::warning::forged',
  '##[group]forged',
  'middle ##[error]forged',
  '\u001b[31mred\u001b[2J',
  'right\u202eto-left\u2028line\u200b',
  '%0A::error::forged',
];

const HOSTILE = `no\n::error::forged\r\n##[error]forged\u001b[2J ##[group]x\u202e::stop-commands::t`;

/** Everything that the runner would take for a command, the names of the commands alone. */
function commands({ lines }: Result): string[] {
  return lines
    .filter(line => /^\s*::/.test(line) || line.includes('##['))
    .map(line => /^::([a-z-]+)(?: [^:]*)?::/.exec(line)?.[1] ?? line)
    .filter(name => name !== 'debug');
}

/** That nothing is in the log which a terminal acts on instead of showing it. */
function assertPlain({ stdout }: Result): void {
  assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069]/u);
}

const NOT_ON_WINDOWS = { skip: process.platform === 'win32' && 'such names cannot be there' };

suite('the log', { concurrency: 2 }, () => {
  test('shows the first of very many failed attempts, and says that there were more', async () => {
    const fault = { on: 'upload', times: 30, do: { kind: 'status', status: 500 } } as const;
    await using world = await openWorld({ files: manyFiles(30), faults: [fault] });
    const { lines } = await runWell(world, { concurrency: '30', retries: '10' });
    assert.equal(lines.filter(line => line.startsWith('Attempt ')).length, 20);
    assert.equal(lines.filter(line => line.startsWith('Further failed attempts are not shown')).length, 1);
  });

  test('holds no command that comes from a file name', NOT_ON_WINDOWS, async () => {
    await using world = await openWorld({ files: Object.fromEntries(NAMES.map(name => [name, 'x'])) });
    const good = await runWell(world);
    assert.deepEqual(commands(good), ['add-mask', 'group', 'endgroup']);
    assertPlain(good);
    assert.equal(good.lines.filter(line => line.startsWith('uploaded: ')).length, NAMES.length);
    const planned = await runWell(world, { 'dry-run': 'true' });
    assert.deepEqual(commands(planned), ['add-mask', 'group', 'endgroup']);
    assertPlain(planned);
  });

  test('holds no command that comes from a name in an error', NOT_ON_WINDOWS, async () => {
    await using world = await openWorld({
      files: Object.fromEntries(NAMES.map(name => [name, 'x'])),
      faults: [{ on: 'upload', do: { kind: 'status', status: 503, body: HOSTILE } }],
    });
    const result = await runBadly(world, { retries: '1' });
    assert.deepEqual(commands(result), ['add-mask', 'group', 'endgroup', 'error', 'error']);
    assertPlain(result);
    assert.match(result.stdout, /^Attempt 1 for .* failed/m);
    const lines = result.annotations('error').flatMap(message => message.split('\n'));
    assert.ok(
      lines.every(line => !/^\s*::/.test(line)),
      lines.join('\n'),
    );
  });

  test('holds no command that comes from an answer', async () => {
    const path = `/x${HOSTILE}/a.txt`;
    const body = JSON.stringify([{ path, name: 'a.txt', type: 'file' }]);
    await using world = await openWorld({
      faults: [{ on: 'upload', do: { kind: 'answer', body } }],
      metrics: () => ({ ts: HOSTILE, [HOSTILE]: 1 }),
    });
    const result = await runWell(world);
    assert.deepEqual(commands(result), ['add-mask', 'group', 'endgroup', 'warning']);
    assertPlain(result);
    assert.equal(JSON.parse(result.outputs['uploaded'] ?? '')[0].path, path);
    assert.equal(Object.keys(result.outputs).length, 24);
  });

  test('holds no command that comes from an input', async () => {
    await using world = await openWorld();
    const result = await runBadly(world, {
      target: '../\n::error::forged',
      files: 'x\n  ::error::forged\n##[a]',
    });
    assert.deepEqual(commands(result), ['add-mask', 'error']);
  });

  test('begins by masking the token and ends with what came of it', async () => {
    await using world = await openWorld();
    const good = await runWell(world);
    assert.equal(good.lines[0], `::add-mask::${TOKEN}`);
    assert.match(good.lines.at(-2) ?? '', /^Uploaded 1 file \(4 B\) in \d+ ms\.$/);
    assert.equal(good.lines.at(-1), '');
    const bad = await runBadly(world, { token: 'another' });
    assert.match(bad.lines.at(-2) ?? '', /^::error::0 of 1 file arrived, 1 failed\./);
  });

  test('has a line for each file in one folded group', async () => {
    await using world = await openWorld({ files: manyFiles(30) });
    const { lines } = await runWell(world, { target: '/app' });
    const group = lines.slice(lines.indexOf('::group::Files') + 1, lines.indexOf('::endgroup::'));
    const expected = Object.keys(manyFiles(30)).map(name => `uploaded: ${name} → /app/${name}`);
    assert.deepEqual(group.toSorted(), expected.toSorted());
  });

  test('of a large run stays short', async () => {
    await using world = await openWorld({ files: manyFiles(1500) });
    const { lines } = await runWell(world);
    assert.ok(lines.length < 1100, `${lines.length} lines`);
    assert.match(lines.join('\n'), /and 500 more/);
  });

  test('of a large plan has every line of it', async () => {
    await using world = await openWorld({ files: manyFiles(1500) });
    const { lines } = await runWell(world, { 'dry-run': 'true' });
    assert.equal(lines.filter(line => line.startsWith('would be uploaded: ')).length, 1500);
  });

  test('of a large run shows what failed first', async () => {
    await using world = await openFaulty(
      { kind: 'status', status: 400 },
      { path: 'f1400.txt' },
      { files: manyFiles(1500) },
    );
    const { lines } = await runBadly(world);
    const first = lines[lines.indexOf('::group::Files') + 1] ?? '';
    assert.match(first, /^failed: f1400\.txt → f1400\.txt \(POST .* 400 /);
  });

  test('of a long transfer has a line of progress every few seconds', async () => {
    await using world = await openFaulty(
      { kind: 'delay', ms: 6000 },
      { path: 'f1.txt' },
      { files: manyFiles(4) },
    );
    const { lines } = await runWell(world);
    const progress = lines.filter(line => /^3 of 4 files, \d+ B of 36 B \(\d+ %\), .* left$/.test(line));
    assert.equal(progress.length, 1);
  });
});
