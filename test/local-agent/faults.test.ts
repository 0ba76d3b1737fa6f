import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { parseFaults } from '../../dev/agent/fault-file.ts';
import type { Fault, FaultAction } from '../../dev/agent/faults.ts';
import { form, HEADERS, openSandbox, type Sandbox } from './harness.ts';

const withFault = (action: FaultAction, rule: Partial<Fault> = {}) =>
  openSandbox({ faults: [{ on: 'any', ...rule, do: action }] });

async function assertStored(sandbox: Sandbox, stored: boolean): Promise<void> {
  if (stored) assert.equal(await sandbox.read('/a'), 'text');
  else await assert.rejects(sandbox.read('/a'), { code: 'ENOENT' });
}

async function assertBreaks(exchange: Promise<unknown>, codes: readonly unknown[]): Promise<void> {
  await assert.rejects(exchange, error => {
    assert.ok(error instanceof Error && error.cause instanceof Error && 'code' in error.cause);
    assert.ok(codes.includes(error.cause.code), String(error.cause));
    return true;
  });
}

async function turnsUntil(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}

for (const early of [true, false]) {
  test(`status ${early ? 'before' : 'after'} the body`, async () => {
    const answer = { kind: 'status', status: 429, headers: { 'Retry-After': '2' } } as const;
    await using sandbox = await withFault({ ...answer, early });
    const response = await sandbox.put('/a', 'text');
    assert.deepEqual([response.status, await response.text()], [429, '']);
    assert.equal(response.headers.get('retry-after'), '2');
    assert.equal(sandbox.agent.requests[0]?.bodyBytes === 0, early);
    assert.equal(sandbox.agent.requests[0]?.status, 429);
    await assertStored(sandbox, false);
  });
}

test('delay waits and goes on as usual', async () => {
  await using sandbox = await withFault({ kind: 'delay', ms: 50 });
  const start = performance.now();
  assert.equal((await sandbox.put('/a', 'text')).status, 200);
  assert.ok(performance.now() - start >= 49);
  await assertStored(sandbox, true);
});

for (const at of ['before-body', 'during-body', 'after-body'] as const) {
  test(`reset and hang-up ${at}`, async () => {
    // An end while the body is being sent may look like a reset, but not the reverse.
    const codes = {
      reset: ['ECONNRESET', 'UND_ERR_SOCKET'],
      'hang-up': ['UND_ERR_SOCKET'],
    } as const;
    for (const kind of ['reset', 'hang-up'] as const) {
      await using sandbox = await withFault({ kind, at }, { times: 1 });
      await assertBreaks(sandbox.put('/a', 'text'), codes[kind]);
      await assertStored(sandbox, at === 'after-body');
      const { status, aborted, bodyBytes } = sandbox.agent.requests[0] ?? assert.fail();
      assert.equal(status, undefined);
      if (kind === 'reset')
        assert.deepEqual([aborted, bodyBytes > 0], [true, at !== 'before-body']);
      assert.equal((await sandbox.put('/b', 'text')).status, 200);
      assert.equal(sandbox.agent.connections(), 2);
    }
  });
}

test('truncate announces more than it sends', async () => {
  await using sandbox = await withFault({ kind: 'truncate' });
  const response = await sandbox.put('/a', 'text');
  assert.ok(response.status === 200 && Number(response.headers.get('content-length')) > 20);
  await assert.rejects(response.text());
  await assertStored(sandbox, true);
});

for (const at of ['reading', 'answering'] as const) {
  test(`stall while ${at}`, async () => {
    await using sandbox = await withFault({ kind: 'stall', at }, { on: 'upload' });
    const cutOff = assert.rejects(sandbox.put('/a', 'text'));
    await turnsUntil(() => {
      const [{ bodyBytes, contentLength } = {}] = sandbox.agent.requests;
      return bodyBytes === (at === 'reading' ? 0 : contentLength);
    });
    assert.equal((await sandbox.stats()).status, 200);
    assert.equal(sandbox.agent.requests[0]?.status, undefined);
    await assertStored(sandbox, at === 'answering');
    await sandbox.agent.close();
    await cutOff;
  });
}

test('answer stores the file, but says something else; drop stores nothing, but does not say so', async () => {
  const odd = { kind: 'answer', status: 201, body: 'odd', headers: { 'X-Odd': 'yes' } } as const;
  await using answering = await withFault(odd);
  const answer = await answering.put('/a', 'text');
  assert.deepEqual(
    [answer.status, answer.headers.get('x-odd'), await answer.text()],
    [201, 'yes', 'odd'],
  );
  await assertStored(answering, true);
  await using dropping = await withFault({ kind: 'drop' });
  const dropped = await dropping.put('/a', 'text');
  assert.deepEqual(await dropped.json(), [{ path: '/a', name: 'a', type: 'file' }]);
  await assertStored(dropping, false);
});

test('endless goes on until the client has had enough', async () => {
  await using sandbox = await withFault({ kind: 'endless', chunk: Buffer.alloc(1000, 'x') });
  let bytes = 0;
  for await (const chunk of (await sandbox.stats()).body ?? []) {
    bytes += chunk.length;
    if (bytes > 5_000_000) break;
  }
  await sandbox.agent.close();
  assert.ok(bytes > 5_000_000);
  assert.equal(sandbox.agent.requests[0]?.aborted, true);
});

test('rules apply by operation, path, skip and times, the first one first, and hide no wrong token', async () => {
  const status = (code: number): FaultAction => ({ kind: 'status', status: code });
  await using sandbox = await openSandbox({
    faults: [
      { on: 'upload', path: '/ä b', times: 1, do: status(500) },
      { on: 'upload', skip: 1, times: 2, do: status(503) },
      { on: 'stats', times: 1, do: status(404) },
    ],
  });
  const uploads = [];
  for (const path of ['/a', '/ä b', '/ä b', '/a', '/a'])
    uploads.push((await sandbox.put(path, 'x')).status);
  assert.deepEqual(uploads, [200, 500, 503, 503, 200]);
  assert.deepEqual([(await sandbox.stats()).status, (await sandbox.stats()).status], [404, 200]);
  sandbox.agent.addFaults({ on: 'any', do: status(507) });
  assert.equal((await sandbox.stats()).status, 507);
  assert.equal((await sandbox.put('/a', 'x', { 'X-Access-Token': 'other' })).status, 401);
});

for (const action of [
  { kind: 'status', status: 413 },
  { kind: 'status', status: 413, early: true },
  { kind: 'answer', status: 413, body: '' },
] as const) {
  test(`a rule with a path matches a batch that contains the file: ${JSON.stringify(action)}`, async () => {
    const rule = { on: 'upload', path: 'app/b.txt', do: action } as const;
    await using sandbox = await openSandbox({ faults: [rule] });
    const batch = (names: readonly string[]) =>
      sandbox.post(
        '',
        form(
          names.map(name => name.repeat(40_000)),
          names,
        ),
      );
    assert.equal((await batch(['app/a.txt', 'app/c.txt'])).status, 200);
    assert.equal((await batch(['app/a.txt', 'app/b.txt'])).status, 413);
    assert.equal((await sandbox.put('app/b.txt', 'x')).status, 413);
    assert.ok((sandbox.agent.requests[1]?.bodyBytes ?? 0) > 0 || action.kind === 'status');
    assert.equal(await sandbox.read('/home/user/app/c.txt'), 'app/c.txt'.repeat(40_000));
  });
}

test('a client that gives up does not disturb the next one', async () => {
  await using sandbox = await withFault({ kind: 'stall', at: 'answering' }, { times: 1 });
  const request = httpRequest(`${sandbox.agent.url}/metrics`, { headers: HEADERS });
  const failed = once(request, 'error');
  request.flushHeaders();
  await turnsUntil(() => sandbox.agent.requests.length > 0);
  request.destroy(new Error('enough'));
  await failed;
  assert.equal((await sandbox.stats()).status, 200);
});

test('every kind of fault can be written as JSON', () => {
  const faults: Fault[] = [
    { on: 'any', do: { kind: 'status', status: 503, body: 'b', headers: { a: 'b' }, early: true } },
    { on: 'upload', path: '/a', skip: 1, times: 2, do: { kind: 'delay', ms: 5 } },
    { on: 'stats', do: { kind: 'reset', at: 'during-body' } },
    { on: 'stats', do: { kind: 'hang-up', at: 'after-body' } },
    { on: 'any', do: { kind: 'truncate' } },
    { on: 'any', do: { kind: 'stall', at: 'reading' } },
    { on: 'any', do: { kind: 'answer', body: 'b', status: 201, headers: {} } },
    { on: 'any', do: { kind: 'drop' } },
    { on: 'any', do: { kind: 'endless', chunk: 'x' } },
  ];
  const json = JSON.stringify(faults);
  assert.equal(JSON.stringify(parseFaults(json)), json);
});

const WRONG = [
  { json: '{', message: /^The faults are not JSON/ },
  { json: '{}', message: /must be a JSON array/ },
  { json: '[1]', message: /^\[0\] must be an object/ },
  { json: '[{"on":"upload"}]', message: /^\[0\]\.do is missing/ },
  {
    json: '[{"on":"all","do":{"kind":"drop"}}]',
    message: /^\[0\]\.on must be one of: upload, stats, any/,
  },
  { json: '[{"on":"any","time":1,"do":{"kind":"drop"}}]', message: /^\[0\]\.time is not known/ },
  { json: '[{"on":"any","times":-1,"do":{"kind":"drop"}}]', message: /^\[0\]\.times cannot be -1/ },
  {
    json: '[{"on":"any","do":{"kind":"dorp"}}]',
    message: /^\[0\]\.do\.kind must be one of: status,/,
  },
  { json: '[{"on":"any","do":{"kind":"delay"}}]', message: /^\[0\]\.do\.ms is missing/ },
  { json: '[{"on":"any","do":{"kind":"drop","ms":1}}]', message: /^\[0\]\.do\.ms is not known/ },
];
for (const { json, message } of WRONG) {
  test(`the fault file ${json} is refused`, () => {
    assert.throws(() => parseFaults(json), { name: 'FaultFileError', message });
  });
}
