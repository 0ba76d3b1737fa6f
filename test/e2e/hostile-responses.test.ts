import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNoInjection, INJECTIONS } from '../support/injections.ts';
import type { Result } from '../support/result.ts';
import { type Inputs, runAction } from '../support/run-action.ts';
import {
  answer,
  fileEntryJson,
  openScriptedJob,
  type Responder,
  sendBytes,
} from '../support/scripted-agent.ts';
import { METRICS } from '../support/test-job.ts';

type Uploads = Readonly<Record<string, Responder>>;

/** Uploads a file per responder with the debug log on, and asserts that nothing is injected. */
async function send(uploads: Uploads, stats: Responder, inputs: Inputs = {}): Promise<Result> {
  const names = Object.keys(uploads);
  // Alternate with good files, since three failures in a row end a transfer.
  const files = names.flatMap(name => [[name, 'text'] as const, [`${name}~`, 'good'] as const]);
  await using job = await openScriptedJob({ uploads, stats }, Object.fromEntries(files));
  const run = { retries: '0', concurrency: '1', ...inputs };
  const result = await runAction(job, run, { env: { RUNNER_DEBUG: '1' } });
  assertNoInjection(result);
  return result;
}

test('hostile text in acknowledgements and stats is escaped in log and summary', async () => {
  const uploads = Object.entries(INJECTIONS).map(([name, text]) => {
    const more = { metadata: { [text]: text }, [text]: [text] };
    const body = ({ target }: { readonly target: string }) =>
      fileEntryJson(target, { path: `/${text}/${target}`, ...more });
    return [name, answer(201, body)] as const;
  });
  const named = Object.fromEntries(Object.values(INJECTIONS).map((text, index) => [text, index]));
  const stats = answer(200, JSON.stringify({ ...METRICS, ...named, note: named }));
  const result = await send(Object.fromEntries(uploads), stats, { 'warn-if': 'gpu_used > 1' });
  assert.equal(result.exitCode, 0, result.stdout);
  for (const [name, text] of Object.entries(INJECTIONS))
    assert.equal(result.file(name).path, `/${text}/${name}`);
  assert.equal(result.outputs['gate'], 'warned');
});

test('hostile responses acknowledge no upload, and their text is escaped in log and summary', async () => {
  const all = Object.values(INJECTIONS).join('');
  const raw =
    'HTTP/1.1 400 ::error::x <b>##[group]\r\nX-Y: ::set-output name=a::b\r\nRetry-After: ::error::\r\n' +
    'Content-Length: 2\r\n\r\n{}';
  const texts = Object.entries(INJECTIONS).flatMap(([name, text]) => [
    [`${name}, JSON`, answer(400, JSON.stringify({ code: text, message: text }))] as const,
    [`${name}, text`, answer(422, text)] as const,
  ]);
  const uploads: Uploads = {
    ...Object.fromEntries(texts),
    // The log says why a request is repeated.
    'to be repeated': answer(503, JSON.stringify({ message: `::error::##[group]${all}` })),
    'as a name': answer(200, fileEntryJson(all)),
    'as a type': answer(200, ({ target }) => fileEntryJson(target, { type: all })),
    'as headers': sendBytes(raw),
    'within an object': answer(200, ({ target }) => `{"files":[${fileEntryJson(target)}]}`),
    prototype: answer(200, ({ target }) => `{"__proto__":${fileEntryJson(target)}}`),
    'path is a number': answer(200, ({ target }) => fileEntryJson(target, { path: 1e300 })),
    'deep objects': answer(200, '{"a":'.repeat(15_000).concat('0', '}'.repeat(15_000))),
  };
  const result = await send(uploads, answer(400, all), { retries: '1' });
  for (const name of Object.keys(uploads)) {
    const { status, error } = result.file(name);
    assert.equal(status, 'failed', name);
    assert.match(error?.kind ?? '', /^(rejected|bad-response|busy)$/, name);
  }
});
