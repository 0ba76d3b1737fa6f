import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { files, start } from './transferring.ts';

test('bytes are told as they leave', async () => {
  const run = start(files(2), { outcome: () => undefined });
  await run.results;
  const sent = run.events.flatMap(event => (event.kind === 'sent' ? [event.bytes] : []));
  assert.deepEqual(sent, [3, 3]);
});

test('every file settles once, and its result is the one returned', async () => {
  const errors: Readonly<Record<string, AgentError>> = {
    f1: new AgentError('rejected', 'No.'),
    f3: new AgentError('disk-full', 'Full.'),
  };
  const run = start(files(6), { concurrency: 2, outcome: name => errors[name] });
  const results = await run.results;
  const settled = run.events.flatMap(event => (event.kind === 'settled' ? [event.result] : []));
  assert.equal(settled.length, 6);
  assert.deepEqual(new Set(settled), new Set(results));
  assert.deepEqual(
    results.map(({ file }) => file.target),
    files(6).map(({ target }) => target),
  );
});

test('no file is lost among thousands that end in every way', async () => {
  const planned = files(2000);
  const run = start(planned, {
    concurrency: 10,
    outcome: name => {
      if (name === 'f1500') return new AgentError('forbidden', 'No.');
      return Number(name.slice(1)) % 7 === 0 ? new AgentError('rejected', 'No.') : undefined;
    },
  });
  const results = await run.results;
  assert.deepEqual(
    results.map(({ file }) => file),
    planned,
  );
  const counts = Map.groupBy(results, ({ status }) => status);
  const total = [...counts.values()].reduce((sum, group) => sum + group.length, 0);
  assert.equal(total, 2000);
  assert.equal(counts.size, 3);
});

test('no files are a transfer too', async () => {
  assert.deepEqual(await start([]).results, []);
});
