import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openWorld, runBadly, runWell } from '../../action/harness.ts';
import { assertTrue } from './sandbox.ts';

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
  '<img src=x>',
  '`|`',
  'n'.repeat(255),
  `${'ü'.repeat(127)}x`,
];

test('files with hostile names arrive under them, and nothing acts on the runner', async () => {
  const files = Object.fromEntries(NAMES.map(name => [`d/${name}`, `content of ${name}`]));
  await using world = await openWorld({ files });
  const result = await runWell(world, { files: 'd' });
  assertTrue(world, result);
  for (const name of NAMES) assert.equal(world.stored(name).toString(), `content of ${name}`);
  assert.deepEqual([result.annotations('error'), result.annotations('warning')], [[], []]);
  assert.ok(!result.lines.some(line => line.startsWith('::set-output')), result.stdout);
  assert.ok(!result.stdout.includes('##[group]'), result.stdout);
});

test('a file 500 directories deep arrives', async () => {
  const deep = `${'d/'.repeat(500)}f`;
  await using world = await openWorld({ files: { [deep]: 'deep' } });
  assertTrue(world, await runWell(world));
  assert.equal(world.stored(deep).toString(), 'deep');
});

test('a name that is not valid UTF-8 is reported, and nothing is sent', {
  skip: process.platform !== 'linux' && 'such names need Linux',
}, async () => {
  await using world = await openWorld();
  writeFileSync(Buffer.concat([Buffer.from(path.join(world.workspace, 'bad')), Buffer.from([0xff])]), 'x');
  const result = await runBadly(world);
  assert.match(result.annotations('error').join(), /bad\ufffd" has a name that is not valid UTF-8/);
  assert.equal(world.agent.connections(), 0);
});
