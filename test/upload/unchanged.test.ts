import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { PlannedFile } from '../../src/upload/plan.ts';
import type { Entries } from '../../src/upload/state.ts';
import { findUnchanged } from '../../src/upload/unchanged.ts';

const NEVER = new AbortController().signal;

interface Folder extends Disposable {
  readonly at: (name: string) => string;
}

function folder(): Folder {
  const root = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'unchanged-')));
  return {
    at: name => path.join(root, name),
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}

function planned({ at }: Folder, name: string, size: number): PlannedFile {
  return { source: name, realPath: at(name), target: name, size };
}

/** A state that knows files by what they were. */
function knowing(contents: Readonly<Record<string, string | Buffer>>): Entries {
  return new Map(
    Object.entries(contents).map(([target, content]) => {
      const sha256 = createHash('sha256').update(content).digest('hex');
      return [target, { path: `/home/user/${target}`, size: Buffer.byteLength(content), sha256 }];
    }),
  );
}

async function unchangedOf(
  files: readonly PlannedFile[],
  entries: Entries,
  cancel = NEVER,
): Promise<string[]> {
  return [...(await findUnchanged(files, entries, { cancel, shareRequests: false })).keys()];
}

describe('a file is unchanged', () => {
  const large = Buffer.alloc(2 ** 20, 'x');
  for (const [name, content] of Object.entries({
    empty: '',
    small: 'abc',
    'one piece': large,
    'a byte more than one piece': Buffer.concat([large, Buffer.from('y')]),
    'several pieces': Buffer.concat([large, large, Buffer.from('z')]),
  })) {
    test(`where its content is what was sent (${name})`, async () => {
      using place = folder();
      writeFileSync(place.at('f'), content);
      const file = planned(place, 'f', content.length);
      assert.deepEqual(await unchangedOf([file], knowing({ f: content })), ['f']);
      const other = Buffer.concat([Buffer.from(content).subarray(1), Buffer.from('!')]);
      assert.deepEqual(await unchangedOf([file], knowing({ f: other })), []);
    });
  }
});

describe('a file is not unchanged', () => {
  test('where nothing is known of its target', async () => {
    using place = folder();
    writeFileSync(place.at('f'), 'abc');
    assert.deepEqual(await unchangedOf([planned(place, 'f', 3)], knowing({ g: 'abc' })), []);
  });

  test('where it has another size by now', async () => {
    using place = folder();
    writeFileSync(place.at('f'), 'abcd');
    assert.deepEqual(await unchangedOf([planned(place, 'f', 3)], knowing({ f: 'abc' })), []);
  });

  test('where it is gone, a folder, or lies behind a link by now', async () => {
    using place = folder();
    mkdirSync(place.at('dir'));
    mkdirSync(place.at('a'));
    writeFileSync(place.at('a/f'), 'abc');
    renameSync(place.at('a'), place.at('b'));
    symlinkSync('b', place.at('a'));
    symlinkSync('b/f', place.at('link'));
    const files = ['gone', 'dir', 'a/f', 'link'].map(name => planned(place, name, 3));
    const entries = knowing({ gone: 'abc', dir: 'abc', 'a/f': 'abc', link: 'abc' });
    assert.deepEqual(await unchangedOf(files, entries), []);
  });

  test('where the upload of another may overwrite it', async () => {
    using place = folder();
    writeFileSync(place.at('f'), 'abc');
    const file = { ...planned(place, 'f', 3), target: 'app/f' };
    const other = { ...planned(place, 'f', 3), target: '/home/user/app/f' };
    assert.deepEqual(await unchangedOf([file, other], knowing({ 'app/f': 'abc' })), []);
  });
});

test('cancelled, it ends with what it knows', async () => {
  using place = folder();
  writeFileSync(place.at('f'), 'abc');
  const entries = knowing({ f: 'abc' });
  assert.deepEqual(await unchangedOf([planned(place, 'f', 3)], entries, AbortSignal.abort()), []);
});
