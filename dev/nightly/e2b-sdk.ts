import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempDisposable } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { startService } from '../agent/service.ts';

// Checks the stand-in with an independent client, E2B's own SDK.

// Pinned, since a newer SDK may call endpoints that the stand-in lacks.
const PACKAGE = 'e2b@2.51.0';

// The SDK only accepts keys of this form.
const API_KEY = `e2b_${randomBytes(20).toString('hex')}`;

interface Sdk {
  readonly Sandbox: { create: (template: string, options: object) => Promise<Sandbox> };
}

interface Sandbox {
  readonly files: {
    write(file: string, content: string): Promise<object>;
    write(files: readonly { path: string; data: string }[]): Promise<readonly object[]>;
    read(file: string): Promise<string>;
  };
  readonly commands: { run(command: string, options?: object): Promise<object> };
  kill(): Promise<boolean>;
}

test("E2B's SDK creates a sandbox of the stand-in, writes, reads and runs commands there, and deletes it", async () => {
  await using temp = await mkdtempDisposable(path.join(tmpdir(), 'sandbox-sync-e2b-'));
  const install = ['install', '--ignore-scripts', '--prefix', temp.path, PACKAGE];
  const { status, stderr } = spawnSync('npm', install, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const entry = createRequire(path.join(temp.path, 'x')).resolve('e2b');
  const sdk: Sdk = await import(pathToFileURL(entry).href);
  const folder = path.join(temp.path, 'sandboxes');
  await using service = await startService({ apiKey: API_KEY, folder, runCommands: true });
  // Without `sandboxUrl`, the SDK would connect to the sandbox's domain.
  const options = { apiKey: API_KEY, apiUrl: service.url, sandboxUrl: service.url };
  const sandbox = await sdk.Sandbox.create('base', options);
  const { files, commands } = sandbox;
  const info = (file: string) => ({ name: path.posix.basename(file), path: file, type: 'file' });
  assert.partialDeepStrictEqual(await files.write('one.txt', 'ü\n'), info('/home/user/one.txt'));
  const list = ['/srv/a b+c%41.txt', '/srv/ä🙂'];
  const written = await files.write(list.map(file => ({ path: file, data: file })));
  assert.partialDeepStrictEqual(written, list.map(info));
  for (const file of list) assert.equal(await files.read(file), file);
  await assert.rejects(files.read('none'), { name: 'FileNotFoundError' });
  const ended = await commands.run('cat one.txt; echo "$A" >&2', { envs: { A: 'b' } });
  assert.partialDeepStrictEqual(ended, { exitCode: 0, stdout: 'ü\n', stderr: 'b\n' });
  await assert.rejects(commands.run('exit 3'), { name: 'CommandExitError', exitCode: 3 });
  assert.equal(await sandbox.kill(), true);
  assert.deepEqual(service.running(), []);
});
