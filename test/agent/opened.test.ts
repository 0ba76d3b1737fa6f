import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { checkOpened } from '../../src/agent/opened.ts';
import { fileOf, LARGE, openFile, pattern } from './bodies.ts';

const skip = process.platform === 'win32';

describe('a directory above the file that was swapped for a link', { skip }, () => {
  for (const planned of [7, LARGE]) {
    test(`is never followed, for a file of ${planned} bytes`, async () => {
      using secret = fileOf(pattern(planned));
      using file = fileOf(pattern(planned));
      const directory = path.dirname(file.path);
      rmSync(directory, { recursive: true });
      symlinkSync(path.dirname(secret.path), directory);
      const open = openFiles();
      await assert.rejects(openFile(file.path, planned), {
        kind: 'file-unreadable',
        message: `${file.path} leads through a link now, which it did not before.`,
      });
      assert.equal(openFiles(), open);
    });
  }

  test('is not followed either where it was higher up', async () => {
    using top = fileOf('');
    using secret = fileOf('');
    const above = path.join(path.dirname(top.path), 'a');
    const file = path.join(above, 'b', 'file');
    for (const each of [file, path.join(path.dirname(secret.path), 'b', 'file')]) {
      mkdirSync(path.dirname(each), { recursive: true });
      writeFileSync(each, 'content');
    }
    await (await openFile(file, 7)).close(true);
    renameSync(above, `${above}.old`);
    symlinkSync(path.dirname(secret.path), above);
    await assert.rejects(openFile(file, 7), { kind: 'file-unreadable' });
  });
});

describe('what was opened', () => {
  test('is the file that the path names', () => {
    using file = fileOf('content');
    assert.equal(checkOpened(file.path, lstatSync(file.path)), 7);
  });

  test('is another file where the path was led back after it was opened', () => {
    using file = fileOf('content');
    using secret = fileOf('secret');
    assert.throws(() => checkOpened(file.path, lstatSync(secret.path)), {
      kind: 'file-changed',
      retryable: true,
      message: `${file.path} was replaced while it was opened.`,
    });
  });
});

// Opening a pipe would block the whole process, this test's own time limit included: another process has to look on.
test('a pipe in the place of a file does not hang the action', { skip }, () => {
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

function openFiles(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
}
