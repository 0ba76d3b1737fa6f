import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempDisposableSync } from 'node:fs';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { hasOpenssl, makeKeys } from '../../dev/agent/keys.ts';
import { startDiskAgent } from '../../dev/bench/agent.ts';
import { HEADERS } from '../../dev/bench/contenders/contender.ts';
import { NEAR, type Place, placeText } from '../../dev/bench/places.ts';
import { startSink } from '../../dev/bench/sink/start.ts';

const BYTES = 50_000;

/** Milliseconds to send a file to the sink. */
async function timeTo(more: Partial<Place>): Promise<number> {
  await using sink = await startSink();
  const url = await sink.setUp({ ...NEAR, ...more });
  const start = performance.now();
  const answer = await fetch(`${url}/files?path=a`, { method: 'POST', body: Buffer.alloc(BYTES) });
  await answer.arrayBuffer();
  const { files, bytes } = await sink.counts();
  assert.deepEqual([files, bytes], [1, BYTES]);
  return performance.now() - start;
}

// Timers may fire a millisecond early.
const EARLY_MS = 5;

test('a distant sink is reached after a round trip for the connection, and answers after another', async () => {
  assert.ok((await timeTo({ latencyMs: 40 })) >= 2 * 40 - EARLY_MS);
});

test('a line carries no more than it can', async () => {
  assert.ok((await timeTo({ megabits: 4 })) >= (BYTES * 8) / 4000 - EARLY_MS);
});

test('the sink counts what comes over HTTP/2', {
  skip: !hasOpenssl && 'needs openssl',
}, async () => {
  using keys = makeKeys();
  await using sink = await startSink(keys);
  const session = connect(await sink.setUp({ ...NEAR, tls: true }), { ca: keys.cert });
  for (const body of ['a', 'bc']) {
    const request = session.request({ ':method': 'POST', ':path': `/files?path=${body}` });
    request.end(body);
    let answer = '';
    request.setEncoding('utf8').on('data', text => {
      answer += text;
    });
    await once(request, 'end');
    assert.deepEqual(JSON.parse(answer), [{ path: body, name: body, type: 'file' }]);
  }
  await new Promise(resolve => session.close(() => resolve(undefined)));
  const { connections, requests, files, bytes } = await sink.counts();
  assert.deepEqual(
    { connections, requests, files, bytes },
    { connections: 1, requests: 2, files: 2, bytes: 3 },
  );
});

test('the local agent counts what is on its disk, and forgets it when it is set up again', async () => {
  using temp = mkdtempDisposableSync(path.join(tmpdir(), 'sandbox-sync-bench-test-'));
  await using agent = await startDiskAgent(temp.path);
  const body = new FormData();
  body.append('file', new File(['abc'], 'a'));
  const url = await agent.setUp(NEAR);
  const answer = await fetch(`${url}/files?path=folder/a`, {
    method: 'POST',
    body,
    headers: HEADERS,
  });
  assert.equal(answer.status, 200);
  const counted = async () => {
    const { files, bytes } = await agent.counts();
    return [files, bytes];
  };
  assert.deepEqual(await counted(), [1, 3]);
  await agent.setUp(NEAR);
  assert.deepEqual(await counted(), [0, 0]);
});

test('a place is named by what is not as near', () => {
  assert.equal(placeText(NEAR), '');
  assert.equal(
    placeText({ ...NEAR, tls: true, latencyMs: 20, megabits: 100 }),
    'TLS, 20 ms latency, 100 Mbit/s',
  );
  assert.equal(placeText({ ...NEAR, server: 'agent' }), 'local agent');
});
