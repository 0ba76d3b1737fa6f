import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKeyValueFile } from '../../dev/runner/file-commands.ts';

const TEXT = 'a=1\nb=x=y<<z\nc<<E\nd=2\n\nEE\nE\nempty=\nnone<<E\nE\n';
const VALUES = { a: '1', b: 'x=y<<z', c: 'd=2\n\nEE', empty: '', none: '' };

test('lines and blocks are read, also where a value looks like either', () => {
  assert.deepEqual(parseKeyValueFile(TEXT, false), VALUES);
  assert.deepEqual(parseKeyValueFile(TEXT, true), VALUES);
});

test('on Windows, where @actions/core ends lines by \\r\\n, a value keeps the line ends of its own', () => {
  const text = 'a<<E\r\none\r\nE\r\nb<<E\r\ntwo\nlines\r\nand\r\r\nE\r\nc=3\r\nnone<<E\r\nE\r\n';
  assert.deepEqual(parseKeyValueFile(text, true), {
    a: 'one',
    b: 'two\nlines\r\nand\r',
    c: '3',
    none: '',
  });
});

test('elsewhere a carriage return belongs to the value', () => {
  assert.deepEqual(parseKeyValueFile('a=1\r\nb<<E\n2\r\nE\n', false), { a: '1\r', b: '2\r' });
});

for (const text of ['a<<E\n1\n', 'neither\n', '=1\n']) {
  test(`${JSON.stringify(text)} is an error that names the line`, () => {
    assert.throws(() => parseKeyValueFile(text), /No value can be read from line 1/);
  });
}
