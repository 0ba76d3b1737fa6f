import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { openForm } from '../../src/agent/form.ts';
import { shareBody, sharedBytes } from '../../src/agent/shared-body.ts';

const FORM = openForm();

/** Files of these contents, as planned, in a directory that is removed with them. */
function plan(contents: Readonly<Record<string, string>>) {
  const directory = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'shared-')));
  const files = Object.entries(contents).map(([target, content]) => {
    const realPath = path.join(directory, target);
    writeFileSync(realPath, content);
    return { realPath, target, size: content.length };
  });
  return { files, directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true }) };
}

function boundary(): string {
  return FORM.contentType.replace('multipart/form-data; boundary=', '--');
}

function part(name: string, content: string): string {
  return [
    boundary(),
    `Content-Disposition: form-data; name="file"; filename="${name}"`,
    'Content-Type: application/octet-stream',
    '',
    content,
    '',
  ].join('\r\n');
}

describe('a shared body', () => {
  test('holds each file as a part, byte for byte', () => {
    using planned = plan({ a: 'one', b: '', c: 'two\r\n' });
    const { body, parts } = shareBody(planned.files, FORM, Buffer.alloc(10_000));
    const expected = `${part('a', 'one')}${part('b', '')}${part('c', 'two\r\n')}${boundary()}--\r\n`;
    assert.equal(body.toString(), expected);
    assert.deepEqual(
      parts.map(({ content }) => content.length),
      [3, 0, 5],
    );
  });

  test('holds files as they are now', () => {
    using planned = plan({ a: 'one', b: 'two' });
    writeFileSync(path.join(planned.directory, 'a'), 'longer than before');
    const { body, parts } = shareBody(planned.files, FORM, Buffer.alloc(10_000));
    assert.equal(body.toString(), `${part('a', 'longer than before')}${part('b', 'two')}${boundary()}--\r\n`);
    assert.deepEqual(
      parts.map(({ content }) => content.length),
      [18, 3],
    );
  });

  test('leaves out what cannot be read, leads elsewhere now, or does not fit any more', () => {
    using planned = plan({ gone: '1', link: '2', large: '3', fine: '4' });
    const at = (name: string) => path.join(planned.directory, name);
    for (const name of ['gone', 'link']) rmSync(at(name));
    symlinkSync(at('fine'), at('link'));
    writeFileSync(at('large'), 'x'.repeat(2000));
    const { body, parts } = shareBody(planned.files, FORM, Buffer.alloc(1000));
    assert.equal(body.toString(), `${part('fine', '4')}${boundary()}--\r\n`);
    assert.deepEqual(
      parts.map(({ file }) => file.target),
      ['fine'],
    );
  });

  test('is never larger than what its files were said to take', () => {
    using planned = plan({ a: 'one', 'a longer name': 'two', b: '' });
    const said = planned.files.reduce((sum, file) => sum + (sharedBytes(file) ?? 0), 0);
    assert.ok(shareBody(planned.files, FORM, Buffer.alloc(said)).parts.length === 3);
  });
});

test('names that parsers read differently share no body', () => {
  for (const target of ['ü', 'a"b', 'a\\b', 'a%b', 'a;b', 'a\nb', ' a', 'a ', 'a\u007f', '']) {
    assert.equal(sharedBytes({ realPath: '/a', target, size: 1 }), undefined, JSON.stringify(target));
  }
  for (const target of ['a', 'a b', "it's(1)!*~.txt", '/srv/a=b&c,d', '#+?$@^`{|}[]<>:'])
    assert.ok(sharedBytes({ realPath: '/a', target, size: 1 }), target);
});
