import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { rolldown } from 'rolldown';

const PROJECT = path.resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');

interface Locked {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}
const lock: { packages: Record<string, Locked> } = JSON.parse(read('package-lock.json'));
const own: { dependencies: Record<string, string>; allowScripts: Record<string, boolean> } =
  JSON.parse(read('package.json'));
const locked = Object.entries(lock.packages).filter(([place]) => place !== '');

describe('the supply chain', () => {
  test('every package is pinned by a hash, and all come from one registry', () => {
    assert.ok(locked.length > 100);
    const hosts = new Set<string>();
    for (const [place, { integrity = '', resolved }] of locked) {
      assert.match(integrity, /^sha512-[A-Za-z0-9+/]{86}==$/, place);
      if (resolved !== undefined) hosts.add(new URL(resolved).host);
    }
    assert.ok(hosts.size <= 1, [...hosts].join());
  });

  test('install scripts are allowed by name, and only where there are any', () => {
    const scripted = locked.filter(([, entry]) => entry.hasInstallScript === true);
    const names = scripted.map(([place]) => place.replace(/^.*node_modules\//, ''));
    const allowed = Object.entries(own.allowScripts).filter(([, is]) => is);
    assert.deepEqual(allowed.map(([name]) => name).toSorted(), [...new Set(names)].toSorted());
  });

  test('the licences name every package whose code is in dist', async () => {
    const mains = [
      'sync',
      'upload',
      'stats',
      'monitor',
      'monitor-stop',
      'monitor-post',
      'monitor-sampler',
    ];
    const input = Object.fromEntries(
      mains.map(name => [name, path.join(PROJECT, `src/main/${name}.ts`)]),
    );
    const treeshake = { moduleSideEffects: (id: string) => id.includes('small-heap') };
    await using build = await rolldown({ input, cwd: PROJECT, platform: 'node', treeshake });
    const { output } = await build.generate({ format: 'esm' });
    const modules = output.flatMap(chunk => (chunk.type === 'chunk' ? chunk.moduleIds : []));
    const names = modules.flatMap(
      id => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id.replaceAll('\\', '/'))?.[1] ?? [],
    );
    const listed = [...read('dist/licenses.txt').matchAll(/^(\S+) \d+\.\d+\.\d+\S* \(\S+\)$/gm)];
    assert.ok(names.length > 10);
    for (const name of names)
      assert.ok(
        listed.some(entry => entry[1] === name),
        `${name} is not listed`,
      );
  });
});
