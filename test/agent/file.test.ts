import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { checkOpened, EXACTLY, isUnreadable, readSmallFile } from '../../src/agent/file.ts';
import { onWindows } from '../system.ts';
import { fileOf, LARGE, openFile, openIn, pattern } from './bodies.ts';

const skip = onWindows('it opens links otherwise');

const PLACES: Readonly<Record<string, readonly [put: (file: string) => void, says: RegExp]>> = {
  'a missing file': [() => {}, / cannot be read \(ENOENT\)\.$/],
  'a link': [file => symlinkSync('/etc/passwd', file), / cannot be read \(ELOOP\)\.$/],
  'a link to a file beside it': [file => symlinkSync('other', file), / cannot be read \(ELOOP\)\.$/],
  'a directory': [file => mkdirSync(file), / is not a regular file any more\.$/],
  'a pipe': [file => execFileSync('mkfifo', [file]), / is not a regular file any more\.$/],
};

describe('in the place of a file', { skip }, () => {
  for (const [name, [put, message]] of Object.entries(PLACES)) {
    for (const planned of [1, LARGE]) {
      test(`${name} is unreadable, for a file of ${planned} bytes, and not kept open`, async () => {
        using file = fileOf('content');
        writeFileSync(path.join(path.dirname(file.path), 'other'), 'other');
        rmSync(file.path);
        put(file.path);
        const error = { kind: 'file-unreadable', retryable: false, final: false, message };
        await assert.rejects(openFile(file.path, planned), error);
        await assert.rejects(openFile(file.path, planned), ({ message }: Error) => message.startsWith(file.path));
        assert.equal(openIn(path.dirname(file.path)), 0);
      });
    }
  }

  // Opening a pipe would block the whole process, this test's own time limit included: another process has to look on.
  test('a pipe does not hang the action', () => {
    using file = fileOf('content');
    rmSync(file.path);
    execFileSync('mkfifo', [file.path]);
    for (const planned of [7, LARGE]) {
      const bodies = path.join(import.meta.dirname, 'bodies.ts');
      const script = `import { openFile } from ${JSON.stringify(bodies)};
        await openFile(${JSON.stringify(file.path)}, ${planned}).catch(error => console.log(error.kind));`;
      const args = ['--input-type=module-typescript', '-e', script];
      const said = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 });
      assert.equal(said.trim(), 'file-unreadable');
    }
  });
});

describe('a directory above the file that was swapped for a link', { skip }, () => {
  for (const planned of [7, LARGE]) {
    for (const depth of ['a', 'a/b/c']) {
      test(`is never followed, for a file of ${planned} bytes in ${depth}`, async () => {
        using top = fileOf('');
        const at = (name: string) => path.join(path.dirname(top.path), name);
        const below = depth.slice(1);
        for (const folder of ['a', 'secret']) {
          mkdirSync(at(`${folder}${below}`), { recursive: true });
          writeFileSync(at(`${folder}${below}/file`), pattern(planned));
        }
        const file = at(`${depth}/file`);
        await (await openFile(file, planned)).close(true);
        renameSync(at('a'), at('old'));
        symlinkSync('secret', at('a'));
        const message = `${file} leads through a link now, which it did not before.`;
        await assert.rejects(openFile(file, planned), { kind: 'file-unreadable', message });
        assert.equal(openIn(path.dirname(top.path)), 0);
      });
    }
  }
});

describe('what was opened', () => {
  test('is the file that the path names', () => {
    using file = fileOf('content');
    assert.equal(checkOpened(file.path, lstatSync(file.path, EXACTLY)), 7);
  });

  test('is another file where the path was led back after it was opened', () => {
    using file = fileOf('content');
    using secret = fileOf('secret');
    assert.throws(() => checkOpened(file.path, lstatSync(secret.path, EXACTLY)), {
      kind: 'file-changed',
      retryable: true,
      message: `${file.path} was replaced while it was opened.`,
    });
  });
});

test('a small file is read whole into its place, or not at all', () => {
  using file = fileOf('content');
  const buffer = Buffer.from('0123456789');
  assert.equal(readSmallFile(file.path, buffer, { offset: 2, room: 7 }), 7);
  assert.equal(buffer.toString(), '01content9');
  assert.equal(readSmallFile(file.path, buffer, { offset: 0, room: 6 }), undefined);
  assert.equal(buffer.toString(), '01content9');
});

test('a bug does not pass for a file that cannot be read', () => {
  assert.equal(isUnreadable(new TypeError('a bug')), false);
  assert.equal(isUnreadable('text'), false);
});
