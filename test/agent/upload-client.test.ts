import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { AgentError } from '../../src/agent/failure.ts';
import { type Uploads, uploads } from '../../src/agent/upload-client.ts';
import { parsed } from '../inputs/given.ts';
import { asIs } from './answers.ts';
import { fileOf } from './bodies.ts';

interface Answer {
  readonly text: string;
  readonly sentWhole?: boolean;
}

/** An upload of `name` that is answered with 200 and this. */
async function upload({ text, sentWhole = true }: Answer): ReturnType<Uploads['upload']> {
  using file = fileOf('content');
  const answer = { tried: 'POST https://host/files', status: 200, retryAfter: undefined, text, sentWhole };
  const exchange = { send: () => Promise.resolve(answer), redact: asIs };
  const client = uploads(parsed({}).connection, {}, exchange);
  return await client.upload({ realPath: file.path, target: 'name', size: 7 }, () => {});
}

function entry(path: string): string {
  return JSON.stringify({ path, name: 'name', type: 'file' });
}

suite('the answer to an upload', () => {
  test('may hold a path as long as paths can be', async () => {
    const path = `/${'ü'.repeat(2047)}/`;
    assert.deepEqual(await upload({ text: entry(path) }), { path, size: 7 });
  });

  test('may not hold a longer one', async () => {
    await assert.rejects(upload({ text: entry(`/${'ü'.repeat(2047)}/x`) }), (error: AgentError) => {
      assert.equal(error.kind, 'bad-answer');
      assert.match(error.message, /a path longer than 4096 bytes\.$/);
      return true;
    });
  });

  test('does not count before the file was sent, but may after another attempt', async () => {
    const early = upload({ text: entry('/name'), sentWhole: false });
    await assert.rejects(early, { kind: 'connection', retryable: true, final: false, status: 200 });
  });
});
