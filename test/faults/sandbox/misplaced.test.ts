import assert from 'node:assert/strict';
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from 'node:http';
import { suite, test } from 'node:test';
import { startAgent } from '../../../dev/agent/agent.ts';
import { openWorld, runWell, SANDBOX_ID, TOKEN, type World } from '../../action/harness.ts';
import { closeWith, listenHere } from '../../listening.ts';

suite('a host with two versions of an agent, of which one drops folders', () => {
  test('ends with every file in its place, though a batch landed on one that had arrived', async () => {
    const files = {
      'index.html': 'top',
      'other.html': 'other',
      'docs/index.html': 'docs',
      'docs/b.html': 'b',
    };
    await using world = await openWorld({ files });
    await using host = await startHost(world);
    const inputs = {
      'base-url': host.url,
      files: '*.html\ndocs/** => docs',
      'files-per-request': '2',
      concurrency: '1',
      'state-file': 'state.json',
    };
    const { report, annotations } = await runWell(world, inputs);
    assert.ok(report.files.every(({ status }) => status === 'uploaded'));
    for (const [name, content] of Object.entries(files))
      assert.equal(world.stored(name).toString(), content, name);
    assert.match(annotations('warning').join(), /From now on, each is sent alone/);
    const again = await runWell(world, inputs);
    assert.equal(again.outputs['unchanged-count'], '4');
  });

  test('never leaves a file counted that a state knew and a batch has overwritten', async () => {
    const files = { 'index.html': 'top', 'docs/index.html': 'docs', 'docs/b.html': 'b' };
    await using world = await openWorld({ files });
    const common = {
      files: '*.html\ndocs/** => docs',
      concurrency: '1',
      'state-file': 'state.json',
    };
    await using host = await startHost(world);
    const inputs = { ...common, 'base-url': host.url, 'files-per-request': '2' };
    host.dropFolders(false);
    await runWell(world, inputs);
    world.write({ 'docs/index.html': 'new docs', 'docs/b.html': 'new b' });
    host.dropFolders(true);
    await runWell(world, inputs);
    assert.equal(world.stored('index.html').toString(), 'top');
    assert.equal(world.stored('docs/index.html').toString(), 'new docs');
  });
});

/**
 * A host with two agents on one disk: the one that drops folders gets batches that contain a
 * folder.
 */
async function startHost(world: World) {
  const other = await startAgent({
    root: world.root,
    token: TOKEN,
    sandboxId: SANDBOX_ID,
    withoutPath: 'last part of filename',
  });
  let isDropping = true;
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await request.toArray());
    const isNestedBatch = !request.url?.includes('path=') && body.includes('filename="docs/');
    const agent = isDropping && isNestedBatch ? other : world.agent;
    const { method, headers, url = '' } = request;
    const forwarded = sendRequest(`${agent.url}${url}`, { method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    forwarded.end(body);
  };
  const server = createServer((request, response) => void forward(request, response));
  const port = await listenHere(server);
  return {
    url: `http://127.0.0.1:${port}`,
    dropFolders(value: boolean) {
      isDropping = value;
    },
    async [Symbol.asyncDispose]() {
      await closeWith(server, []);
      await other.close();
    },
  };
}
