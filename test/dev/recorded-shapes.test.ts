import assert from 'node:assert/strict';
import { test } from 'node:test';
import { API_KEY } from '../support/job-with-api.ts';
import { openEmptyJob } from '../support/test-job.ts';

// Holds the stand-in against what E2B's hosted service answered to its SDK 2.52.0 on 2026-10-03
// (recorded in e2e/providers/e2b/golden of arugula-salad/wisp): statuses, and names and types of fields.

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
  endAt: 'string',
  metadata: { probe: 'string' },
  startedAt: 'string',
  state: 'string',
};
const ERROR = { code: 'number', message: 'string' };
const CREATION = { templateID: 'base', timeout: 300, metadata: { probe: 'a b' } };

interface Recorded {
  readonly request: string;
  readonly body?: object;
  readonly status: number;
  readonly shape: unknown;
}

/** In this order, with the ID of the first sandbox in place of `ID`. */
const RECORDED: readonly Recorded[] = [
  { request: 'POST /v2/sandboxes', body: CREATION, status: 201, shape: ACCESS },
  { request: 'GET /v2/sandboxes?metadata=probe%3Da%2Bb', status: 200, shape: [LISTED] },
  { request: 'GET /v2/sandboxes?metadata=probe%3Dc', status: 200, shape: [] },
  // The service answered 201 to this, since it resumed the sandbox.
  { request: 'POST /v2/sandboxes/ID/connect', body: {}, status: 200, shape: ACCESS },
  { request: 'DELETE /sandboxes/ID', status: 204, shape: undefined },
  { request: 'DELETE /sandboxes/ID', status: 404, shape: ERROR },
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

/** Replaces each value by the name of its type. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]));
}
