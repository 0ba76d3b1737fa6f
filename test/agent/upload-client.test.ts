import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import type { AgentError } from '../../src/agent/failure.ts';
import { type Uploads, uploads } from '../../src/agent/upload-client.ts';
import { parsed } from '../inputs/given.ts';
import { asIs } from './answers.ts';
import { fileOf, LARGE, LARGEST_BUFFERED, pattern } from './bodies.ts';

interface Answer {
  readonly text: string;
  readonly sentWhole?: boolean;
}

/** An upload of `name` that is answered with 200 and this. */
async function upload({ text, sentWhole = true }: Answer): ReturnType<Uploads['upload']> {
  using file = fileOf('content');
  const answer = { tried: 'POST https://host/files', status: 200, retryAfter: undefined, text, sentWhole };
  const exchange = { send: () => Promise.resolve(answer), redact: asIs };
  const client = uploads(parsed({}).connection, { query: {} }, exchange);
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

/** Uploads a file that is written anew as soon as its first bytes have left, and returns what was sent and what is said of it. */
async function uploadChanging(content: Buffer, hashed?: boolean) {
  using file = fileOf(content);
  const pieces: Buffer[] = [];
  const send: Parameters<typeof uploads>[2]['send'] = async ({ body }) => {
    for await (const piece of Buffer.isBuffer(body) ? [body] : (body ?? [])) {
      pieces.push(Buffer.from(piece));
      writeFileSync(file.path, content.toReversed(), { flag: 'r+' });
    }
    return { tried: '', status: 200, retryAfter: undefined, text: entry('/name'), sentWhole: true };
  };
  const { upload: once } = uploads(parsed({}).connection, { query: {}, hashed }, { send, redact: asIs });
  const stored = await once({ realPath: file.path, target: 'name', size: content.length }, () => {});
  const whole = Buffer.concat(pieces);
  return { stored, sent: whole.subarray(whole.indexOf('\r\n\r\n') + 4, whole.lastIndexOf('\r\n--')) };
}

suite('what is said of a file is the hash of what was sent', () => {
  for (const size of [0, 5, LARGEST_BUFFERED - 200, LARGE, 5 * LARGE + 3]) {
    test(`of ${size} bytes`, async () => {
      const { stored, sent } = await uploadChanging(pattern(size), true);
      const sha256 = createHash('sha256').update(sent).digest('hex');
      assert.deepEqual(stored, { path: '/name', size, sha256 });
      assert.equal(sent.length, size);
    });
  }

  test('where that is asked for', async () => {
    assert.deepEqual((await uploadChanging(pattern(5))).stored, { path: '/name', size: 5 });
  });
});
