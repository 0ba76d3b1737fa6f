import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openWorld, runBadly, runWell } from '../../action/harness.ts';
import { onWindows, unlessLinux } from '../../system.ts';
import { everyCase } from '../../telling.ts';
import { checkHarmless } from '../sandbox/checks.ts';
import { assertTrue } from './sandbox.ts';

const ON = { env: { RUNNER_DEBUG: '1' } };

const NAMES = [
  'a\nb',
  '\n::error::injected',
  'a\r\nb',
  '%0A::warning::injected',
  "quote's",
  'double"quote',
  'back\\slash',
  '::set-output name=x::y',
  '##[group]x',
  '-rf',
  '\u202etxt.exe',
  '::error::forged',
  'b\r::warning::forged',
  'middle ##[error]forged',
  '\u001b[31mred\u001b[2J',
  'right\u202eto-left\u2028line\u200b',
  '<img src=x onerror=alert(1)>',
  '`code` **bold** _it_ | a | ~~no~~',
  '[link](https:||example.com) @someone #1 &amp; &lt;',
  '\n\n# heading\n\n- item',
  '<!-- comment',
  'n'.repeat(255),
  `${'ü'.repeat(127)}x`,
];

const skip = onWindows('such names cannot be there');
test('files with hostile names arrive under them, and nothing acts on the runner or on a reader', {
  skip,
}, async () => {
  const files = Object.fromEntries(NAMES.map(name => [`d/${name}`, `content of ${name}`]));
  await using world = await openWorld({ files });
  const inputs = { files: 'd', 'if-no-files-found': 'ignore' };
  checkHarmless(await runWell(world, { ...inputs, 'dry-run': 'true' }));
  const result = await runWell(world, { ...inputs, files: 'd\n##[group]*\n::error::x' }, ON);
  assertTrue(world, result);
  checkHarmless(result);
  for (const name of NAMES) assert.equal(world.stored(name).toString(), `content of ${name}`);
  assert.deepEqual([result.annotations('error'), result.annotations('warning')], [[], []]);
  checkHarmless(await runWell(world, { ...inputs, 'files-per-request': '9' }, ON));
  world.agent.addFaults({ on: 'any', do: { kind: 'status', status: 503, body: NAMES.join() } });
  const bad = await runBadly(world, { ...inputs, retries: '1' }, ON);
  assert.match(bad.stdout, /^Attempt 1 for .* failed/m);
  checkHarmless(bad);
  checkHarmless(
    await runBadly(world, { target: `../${NAMES.join()}`, files: `${NAMES.join()} => ..` }),
  );
});

const DEPTH = everyCase ? 500 : 100;

test(`a file ${DEPTH} directories deep arrives`, async () => {
  const deep = `${'d/'.repeat(DEPTH)}f`;
  await using world = await openWorld({ files: { [deep]: 'deep' } });
  assertTrue(world, await runWell(world));
  assert.equal(world.stored(deep).toString(), 'deep');
});

test('a name that is not valid UTF-8 is reported, and nothing is sent', {
  skip: unlessLinux('such names need Linux'),
}, async () => {
  await using world = await openWorld();
  writeFileSync(
    Buffer.concat([Buffer.from(path.join(world.workspace, 'bad')), Buffer.from([0xff])]),
    'x',
  );
  const result = await runBadly(world);
  assert.match(result.annotations('error').join(), /bad\ufffd" has a name that is not valid UTF-8/);
  assert.equal(world.agent.connections(), 0);
});
