import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKeyValueFile } from '../../local-runner/key-value-file.ts';

test('lines and blocks are read, also where a value looks like either', () => {
  const text = 'a=1\nb=x=y<<z\nc<<E\nd=2\n\nEE\nE\nempty=\nnone<<E\nE\n';
  assert.deepEqual(parseKeyValueFile(text), { a: '1', b: 'x=y<<z', c: 'd=2\n\nEE', empty: '', none: '' });
});

for (const text of ['a<<E\n1\n', 'neither\n', '=1\n']) {
  test(`${JSON.stringify(text)} is an error that names the line`, () => {
    assert.throws(() => parseKeyValueFile(text), /No value can be read from line 1/);
  });
}
