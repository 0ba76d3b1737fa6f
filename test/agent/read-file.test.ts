import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { hashFile, openFile, readSmallFile, SMALL_BYTES } from '../../src/agent/read-file.ts';
import { onWindows, unlessLinux } from '../system.ts';
import { fileOf, found, LARGE, open, openIn, pattern } from './bodies.ts';

const skip = onWindows('it opens links otherwise');

const PLACES: Readonly<Record<string, readonly [put: (file: string) => void, says: RegExp]>> = {
  'a missing file': [() => {}, / cannot be read \(ENOENT\)\.$/],
  'a link': [file => symlinkSync('/etc/passwd', file), / cannot be read \(ELOOP\)\.$/],
  'a link to a file beside it': [
    file => symlinkSync('other', file),
    / cannot be read \(ELOOP\)\.$/,
  ],
  'a directory': [file => mkdirSync(file), / is no longer a regular file\.$/],
  'a pipe': [file => execFileSync('mkfifo', [file]), / is no longer a regular file\.$/],
};

describe('in the place of a file', { skip }, () => {
  for (const [name, [put, message]] of Object.entries(PLACES)) {
    for (const size of [1, LARGE]) {
      test(`${name} is unreadable, for a file of ${size} bytes, and not kept open`, async () => {
        using file = fileOf('content');
        const planned = found(file.path, size);
        writeFileSync(path.join(path.dirname(file.path), 'other'), 'other');
        rmSync(file.path);
        put(file.path);
        const error = { kind: 'file-unreadable', isRetryable: false, message };
        await assert.rejects(open(planned), error);
        await assert.rejects(open(planned), (failure: Error) =>
          failure.message.startsWith(file.path),
        );
        assert.equal(openIn(path.dirname(file.path)), 0);
      });
    }
  }

  // Opening a pipe would block this whole process, so another process does it.
  test('a pipe does not hang the action', () => {
    using file = fileOf('content');
    rmSync(file.path);
    execFileSync('mkfifo', [file.path]);
    for (const size of [7, LARGE]) {
      const bodies = path.join(import.meta.dirname, 'bodies.ts');
      const script = `import { found, open } from ${JSON.stringify(bodies)};
        await open(found(${JSON.stringify(file.path)}, ${size})).catch(error => console.log(error.kind));`;
      const args = ['--input-type=module-typescript', '-e', script];
      const said = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 });
      assert.equal(said.trim(), 'file-unreadable');
    }
  });
});

describe('another file in the place of the one found', { skip }, () => {
  for (const size of [7, LARGE]) {
    test(`is never read, for a file of ${size} bytes`, async () => {
      using file = fileOf(pattern(size));
      const planned = found(file.path, size);
      renameSync(file.path, `${file.path}.old`);
      writeFileSync(file.path, pattern(size));
      const message = `${file.path} was replaced after it was found.`;
      await assert.rejects(open(planned), { kind: 'file-replaced', isRetryable: false, message });
      assert.equal(openIn(path.dirname(file.path)), 0);
    });

    for (const depth of ['a', 'a/b/c']) {
      test(`is never read through a link, for a file of ${size} bytes in ${depth}`, async () => {
        using top = fileOf('');
        const at = (name: string) => path.join(path.dirname(top.path), name);
        const below = depth.slice(1);
        for (const folder of ['a', 'secret']) {
          mkdirSync(at(`${folder}${below}`), { recursive: true });
          writeFileSync(at(`${folder}${below}/file`), pattern(size));
        }
        const planned = found(at(`${depth}/file`), size);
        await (await open(planned)).close();
        renameSync(at('a'), at('old'));
        symlinkSync('secret', at('a'));
        await assert.rejects(open(planned), { kind: 'file-replaced' });
        assert.equal(openIn(path.dirname(top.path)), 0);
      });
    }
  }
});

describe('a small file', () => {
  test('is read whole into its place with a byte to spare, or not at all', () => {
    using file = fileOf('content');
    const planned = found(file.path, 7);
    const buffer = Buffer.from('0123456789');
    assert.equal(readSmallFile(planned, buffer, 2), 7);
    assert.equal(buffer.toString(), '01content9');
    assert.equal(readSmallFile(planned, buffer, 3), undefined);
    assert.equal(buffer.toString(), '01content9');
  });

  test('that claims to be empty is not taken for empty', {
    skip: unlessLinux('needs /proc'),
  }, async () => {
    const proc = found('/proc/version', 0);
    assert.equal(readSmallFile(proc, Buffer.alloc(10_000), 0), undefined);
    const message = '/proc/version claims to be empty but has content.';
    await assert.rejects(openFile(proc, false), { kind: 'file-unreadable', message });
  });
});

describe('the hash of a file', () => {
  const never = new AbortController().signal;

  for (const size of [0, 7, SMALL_BYTES, LARGE, 3 * LARGE]) {
    test(`of ${size} bytes is that of its content`, async () => {
      const content = pattern(size);
      using file = fileOf(content);
      assert.equal(await hashFile(found(file.path, size), never), hash('sha256', content));
      assert.equal(openIn(file.path), 0);
    });
  }

  test('is undefined if the file cannot be read, or the job is cancelled', async () => {
    using file = fileOf(pattern(LARGE));
    const planned = found(file.path, LARGE);
    assert.equal(await hashFile(planned, AbortSignal.abort()), undefined);
    rmSync(file.path);
    assert.equal(await hashFile(planned, never), undefined);
    assert.equal(await hashFile({ ...planned, size: 7 }, never), undefined);
  });
});

test('a large file whose disk fails is unreadable, not a failed connection', async () => {
  using file = fileOf(pattern(LARGE * 4));
  const opened = await openFile(found(file.path, LARGE * 4), false);
  const chunks = opened.chunks();
  await chunks.next();
  // A closed file stands in for a failing disk.
  await opened.close();
  await assert.rejects(
    async () => {
      for await (const _ of chunks);
    },
    { kind: 'file-unreadable', message: /cannot be read \(EBADF\)/ },
  );
});
