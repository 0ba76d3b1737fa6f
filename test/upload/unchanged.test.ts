import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import type { PlannedFile } from '../../src/upload/plan.ts';
import type { Entries } from '../../src/upload/state.ts';
import { compare } from '../../src/upload/unchanged.ts';
import { directory, link, plant, type Tree } from './tree.ts';

const NEVER = new AbortController().signal;

function planned(tree: Tree, name: string, size = 3): PlannedFile {
  return { source: name, realPath: tree.at(name), target: name, size, isExecutable: false };
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

async function unchangedOf(files: readonly PlannedFile[], entries: Entries, cancel = NEVER): Promise<string[]> {
  return [...(await compare(files, entries, { cancel, shareRequests: false })).unchanged.keys()];
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
      using place = plant({ f: content });
      const file = planned(place, 'f', content.length);
      assert.deepEqual(await unchangedOf([file], knowing({ f: content })), ['f']);
      const other = Buffer.concat([Buffer.from(content).subarray(1), Buffer.from('!')]);
      assert.deepEqual(await unchangedOf([file], knowing({ f: other })), []);
    });
  }
});

describe('a file is not unchanged', () => {
  test('where nothing is known of its target, or it has another size by now', async () => {
    using place = plant({ f: 'abc', g: 'abcd' });
    assert.deepEqual(await unchangedOf([planned(place, 'f'), planned(place, 'g')], knowing({ g: 'abc' })), []);
  });

  test('where it is gone, a folder, or lies behind a link by now', async () => {
    using place = plant({ dir: directory, 'b/f': 'abc', a: link('b'), link: link('b/f') });
    const files = ['gone', 'dir', 'a/f', 'link'].map(name => planned(place, name));
    const entries = knowing({ gone: 'abc', dir: 'abc', 'a/f': 'abc', link: 'abc' });
    assert.deepEqual(await unchangedOf(files, entries), []);
  });

  test('where the upload of another may overwrite it', async () => {
    using place = plant({ f: 'abc' });
    const at = (target: string) => ({ ...planned(place, 'f'), target });
    assert.deepEqual(await unchangedOf([at('app/f'), at('/home/user/app/f')], knowing({ 'app/f': 'abc' })), []);
    // Each that is not unchanged is sent, and may be in the way of a further one.
    const files = ['a/f', '/home/a/f', 'b/f'].map(at);
    assert.deepEqual(await unchangedOf(files, knowing({ '/home/a/f': 'abc', 'b/f': 'abc' })), []);
  });

  test('where shared requests may overwrite it, of an agent that takes the last part of a filename', async () => {
    using place = plant({ f: 'abc', g: 'abc' });
    const files = [planned(place, 'f'), planned(place, 'g'), { ...planned(place, 'f'), target: 'in/f' }];
    const known = knowing({ f: 'abc', g: 'abc' });
    const options = { cancel: NEVER, shareRequests: true };
    const { unchanged, entries } = await compare(files, known, options);
    assert.deepEqual([[...unchanged.keys()], [...entries.keys()]], [['g'], ['g']]);
    const alone = await compare(files, known, { ...options, shareRequests: false });
    const both = ['f', 'g'];
    assert.deepEqual([[...alone.unchanged.keys()], [...alone.entries.keys()]], [both, both]);
  });
});

test('cancelled, it ends with what it knows', async () => {
  using place = plant({ f: 'abc' });
  const entries = knowing({ f: 'abc' });
  assert.deepEqual(await unchangedOf([planned(place, 'f')], entries, AbortSignal.abort()), []);
});
