import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKeyValueFile } from '../../dev/runner/file-commands.ts';

test('GITHUB_OUTPUT is read as lines and blocks, whose values may look like either', () => {
  const text = 'a=1\nb=x=y<<z\nc<<E\nd=2\n\nEE\nE\nempty=\nnone<<E\nE\n';
  const values = { a: '1', b: 'x=y<<z', c: 'd=2\n\nEE', empty: '', none: '' };
  for (const isWindows of [false, true])
    assert.deepEqual(parseKeyValueFile(text, isWindows), values);
});

test('on Windows, a carriage return in GITHUB_OUTPUT is dropped at the end of a line, but not in a value', () => {
  const values = parseKeyValueFile('a<<E\r\none\ntwo\r\n\r\r\nE\r\nb=3\r\n', true);
  assert.deepEqual(values, { a: 'one\ntwo\r\n\r', b: '3' });
});

test('a line of GITHUB_OUTPUT without a name, a value or an end is an error', () => {
  for (const broken of ['a<<E\n1\n', 'neither\n', '=1\n'])
    assert.throws(() => parseKeyValueFile(broken), /No value can be read from line 1/);
});
