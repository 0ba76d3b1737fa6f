import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { HEADERS, openSandbox } from './opened.ts';

// Without Accept-Encoding, fetch would ask for gzip.
const PLAIN = { ...HEADERS, 'Accept-Encoding': 'identity' };

async function openWithFiles() {
  const sandbox = await openSandbox();
  const get = (query: string, headers: Record<string, string> = PLAIN, method = 'GET') =>
    fetch(`${sandbox.agent.url}/files${query}`, { method, headers });
  mkdirSync(path.join(sandbox.root, 'home/user/folder'), { recursive: true });
  const write = (name: string, content: string) =>
    writeFileSync(path.join(sandbox.root, 'home/user', name), content);
  write('a.txt', 'hello');
  write('empty', '');
  write('folder/ä b', 'x'.repeat(200_000));
  return Object.assign(sandbox, { get });
}

test('the stand-in sends a file with its length', async () => {
  await using sandbox = await openWithFiles();
  const lengths = {
    '?path=a.txt': 5,
    '?path=~/a.txt': 5,
    '?path=/home/user/folder/../a.txt&username=root': 5,
    '?path=/../../home/user/a.txt': 5,
    '?path=empty': 0,
    '?path=folder/%C3%A4%20b': 200_000,
  };
  for (const [query, length] of Object.entries(lengths)) {
    const answer = await sandbox.get(query);
    assert.deepEqual([answer.status, answer.headers.get('content-length')], [200, `${length}`]);
    assert.equal((await answer.text()).length, length, query);
  }
  assert.equal(sandbox.agent.requests[0]?.status, 200);
});

test('the stand-in refuses downloads in the words of envd', async () => {
  await using sandbox = await openWithFiles();
  const cases = {
    '?path=nope': [404, "path '/home/user/nope' does not exist"],
    '?path=/nope/x': [404, "path '/nope/x' does not exist"],
    '?path=folder': [400, "path '/home/user/folder' is a directory"],
    '': [400, "path '/home/user' is a directory"],
    '?path=a&username=bob': [401, "error looking up user 'bob': user: unknown user bob"],
    '?path=~bob/x': [
      400,
      "error expanding and resolving path '~bob/x': failed to expand path '' for user 'user': cannot expand user-specific home dir",
    ],
  };
  for (const [query, [code, message]] of Object.entries(cases)) {
    const answer = await sandbox.get(query);
    assert.deepEqual([answer.status, await answer.json()], [code, { code, message }]);
  }
  assert.equal((await sandbox.get('?path=a.txt', PLAIN, 'HEAD')).status, 405);
  const wrong = await sandbox.get('?path=a.txt', { ...PLAIN, 'X-Access-Token': 'wrong' });
  assert.equal(wrong.status, 401);
});
