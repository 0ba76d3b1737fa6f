import assert from 'node:assert/strict';
import type { Result, World } from '../../action/harness.ts';
import { filesBelow } from '../../system.ts';

/** Every file in the sandbox, by absolute path. */
export function contents({ root }: World): Map<string, Buffer> {
  return new Map(Object.entries(filesBelow(root)).map(([name, content]) => [`/${name}`, content]));
}

/** Asserts that exactly the files reported as uploaded are there, with their whole content. */
export function assertTrue(world: World, { report }: Result): void {
  const there = contents(world);
  const uploaded = report.files.filter(({ status }) => status === 'uploaded');
  const sizes = (files: Iterable<readonly [string, number]>) => Object.fromEntries(files);
  assert.deepEqual(
    sizes([...there].map(([place, content]) => [place, content.length])),
    sizes(uploaded.map(({ path: place = '', size }) => [place, size])),
  );
}

/** Asserts that neither the sandbox nor the run's traces contain a secret. */
export function assertKept(world: World, secret: string, { everything }: Result): void {
  for (const [place, content] of contents(world))
    assert.ok(!content.includes(secret), `it is in ${place}`);
  assert.ok(!everything.includes(secret), everything);
}
