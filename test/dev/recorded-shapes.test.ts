import assert from 'node:assert/strict';
import { test } from 'node:test';
import { API_KEY } from '../support/job-with-api.ts';
import { frame } from '../support/process-frames.ts';
import { skipOnWindows } from '../support/system.ts';
import { openEmptyJob } from '../support/test-job.ts';

// Holds the stand-in against what E2B's hosted service answered to its SDK 2.52.0 on 2026-10-03
// (recorded in e2e/providers/e2b/golden of arugula-salad/wisp): the names and types of all fields.

const NAMES = {
  alias: 'string',
  clientID: 'string',
  envdVersion: 'string',
  sandboxID: 'string',
  templateID: 'string',
};
const ACCESS = { ...NAMES, envdAccessToken: 'string' };
const LISTED = {
  ...NAMES,
  cpuCount: 'number',
  diskSizeMB: 'number',
  endAt: 'string',
  memoryMB: 'number',
  metadata: { probe: 'string' },
  startedAt: 'string',
  state: 'string',
  volumeMounts: [],
};
const LIFECYCLE = { autoResume: 'boolean', onTimeout: 'string' };
const ERROR = { code: 'number', message: 'string' };
const CREATION = { templateID: 'base', timeout: 300, metadata: { probe: 'a b' } };

interface Recorded {
  readonly request: string;
  readonly body?: object;
  readonly status: number;
  readonly shape: unknown;
}

/** The requests in the order that they are sent. `ID` stands for that of the first sandbox. */
const RECORDED: readonly Recorded[] = [
  { request: 'POST /v2/sandboxes', body: CREATION, status: 201, shape: ACCESS },
  {
    request: 'GET /sandboxes/ID',
    status: 200,
    shape: { ...LISTED, ...ACCESS, lifecycle: LIFECYCLE },
  },
  { request: 'GET /v2/sandboxes?metadata=probe%3Da%2Bb', status: 200, shape: [LISTED] },
  { request: 'GET /v2/sandboxes?metadata=probe%3Dc', status: 200, shape: [] },
  // The service answered 201 to this, since it resumed the sandbox.
  { request: 'POST /v2/sandboxes/ID/connect', body: {}, status: 200, shape: ACCESS },
  { request: 'DELETE /sandboxes/ID', status: 204, shape: undefined },
  { request: 'DELETE /sandboxes/ID', status: 404, shape: ERROR },
  { request: 'GET /sandboxes/ID', status: 404, shape: ERROR },
  { request: 'POST /v2/sandboxes/ID/connect', body: {}, status: 404, shape: ERROR },
];

test("the stand-in's API answers with the statuses and fields that E2B's was recorded with", async () => {
  await using job = await openEmptyJob({ apiKey: API_KEY });
  for (const { request, body, status, shape } of RECORDED) {
    const [method = '', path = ''] = request.split(' ');
    const id = job.service.created[0]?.id ?? '';
    const answer = await fetch(job.service.url + path.replace('ID', id), {
      method,
      headers: { 'X-API-Key': API_KEY, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const seen = text === '' ? undefined : shapeOf(JSON.parse(text));
    assert.deepEqual([answer.status, seen], [status, shape], request);
    const type = text === '' ? null : 'application/json; charset=utf-8';
    assert.equal(answer.headers.get('content-type'), type, request);
  }
});

const EVENTS: Readonly<Record<string, readonly unknown[]>> = {
  'echo a': [
    { event: { start: { pid: 'number' } } },
    { event: { data: { stdout: 'string' } } },
    { event: { end: { exited: 'boolean', status: 'string' } } },
    {},
  ],
  'echo a >&2; exit 7': [
    { event: { start: { pid: 'number' } } },
    { event: { data: { stderr: 'string' } } },
    {
      event: { end: { exitCode: 'number', exited: 'boolean', status: 'string', error: 'string' } },
    },
    {},
  ],
  'kill -9 $$': [
    { event: { start: { pid: 'number' } } },
    { event: { end: { exitCode: 'number', status: 'string', error: 'string' } } },
    {},
  ],
};

for (const [command, shapes] of Object.entries(EVENTS))
  test(`the stand-in streams the events that E2B was recorded with [${command}]`, {
    skip: skipOnWindows('there is no /bin/sh'),
  }, async () => {
    await using job = await openEmptyJob({ runCommands: true });
    const { id, token } = job.service.create();
    const message = { process: { cmd: '/bin/sh', args: ['-c', command] }, stdin: false };
    const answer = await fetch(`${job.service.url}/process.Process/Start`, {
      method: 'POST',
      headers: {
        'X-Access-Token': token,
        'E2b-Sandbox-Id': id,
        'E2b-Sandbox-Port': '49983',
        'Content-Type': 'application/connect+json',
      },
      body: frame(message),
    });
    assert.equal(answer.headers.get('content-type'), 'application/connect+json');
    const frames = framesIn(Buffer.from(await answer.arrayBuffer()));
    assert.deepEqual(frames.map(shapeOf), shapes);
  });

/** Replaces each value by the name of its type. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]));
}

function framesIn(bytes: Buffer): unknown[] {
  const frames: unknown[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    frames.push(JSON.parse(bytes.toString('utf8', at + 5, end)));
    at = end;
  }
  return frames;
}
