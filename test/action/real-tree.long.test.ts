import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { openWorld, runMeasured } from './harness.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const MEBIBYTE = 1024 ** 2;
// V8 is slow to collect the garbage of many requests.
const MAX_MEMORY_OF_MANY = 450 * MEBIBYTE;
const MAX_MEMORY_OF_ONE = 160 * MEBIBYTE;
const KILL_AFTER_MS = 300_000;
const GIBIBYTE = 1024 ** 3;

test("the project's own node_modules arrives byte for byte, in bounded memory", async t => {
  await using world = await openWorld({ record: false });
  const inputs = {
    files: 'node_modules',
    'working-directory': PROJECT,
    'include-hidden-files': 'true',
  };
  const { peak } = await runMeasured(world, inputs, { killAfterMs: KILL_AFTER_MS });
  const names = filesBelow(path.join(PROJECT, 'node_modules'));
  assert.ok(names.length > 1000, `only ${names.length} files`);
  for (const name of names) {
    const sent = readFileSync(path.join(PROJECT, 'node_modules', name));
    assert.ok(sent.equals(world.stored(name)), name);
  }
  t.diagnostic(`${Math.round(peak / 1024 ** 2)} MiB at most`);
  assert.ok(peak < MAX_MEMORY_OF_MANY, `${peak} bytes`);
});

test('a file of 1 GiB arrives byte for byte, in little memory', async t => {
  await using world = await openWorld({ record: false });
  const large = path.join(world.workspace, 'large.bin');
  await pipeline(Readable.from(blocks(GIBIBYTE)), createWriteStream(large));
  const { peak } = await runMeasured(world, { files: 'large.bin' }, { killAfterMs: KILL_AFTER_MS });
  assert.equal(
    await digest(path.join(path.dirname(world.workspace), 'root/home/user/large.bin')),
    await digest(large),
  );
  t.diagnostic(`${Math.round(peak / 1024 ** 2)} MiB at most`);
  assert.ok(peak < MAX_MEMORY_OF_ONE, `${peak} bytes`);
});

function filesBelow(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names.filter(name => statSync(path.join(directory, name)).isFile());
}

/** Distinct blocks, so that a repeated or misplaced one shows. */
function* blocks(size: number): Generator<Buffer> {
  const block = Buffer.alloc(1024 * 1024, 'sandbox sync ');
  for (let position = 0; position < size; position += block.length) {
    for (let offset = 0; offset < block.length; offset += 4096)
      block.writeDoubleLE(position + offset, offset);
    yield Buffer.from(block);
  }
}

async function digest(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest('hex');
}
