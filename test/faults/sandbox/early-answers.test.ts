import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { suite, test } from 'node:test';
import { openWorld, runAction } from '../../action/harness.ts';
import { closeWith, listenHere } from '../../listening.ts';
import { everyCase } from '../../telling.ts';

const KIB = 1024;

/** Files of random content, so that none can pass for another. */
function randomFiles(count: number, size: number): Record<string, Buffer> {
  const names = Array.from({ length: count }, (_, index) => `f${index}.bin`);
  return Object.fromEntries(names.map(name => [name, randomBytes(size)]));
}

const SHAPES = {
  'small files': { files: randomFiles(40, 4 * KIB), inputs: {} },
  'bodies of several slices': { files: randomFiles(20, 200 * KIB), inputs: {} },
  batches: { files: randomFiles(200, 30 * KIB), inputs: { 'files-per-request': '50' } },
  streams: { files: randomFiles(3, 16 * KIB * KIB), inputs: {} },
} as const;

suite('an agent that answers before it has read a body', { timeout: 120_000 }, () => {
  for (const [shape, { files, inputs }] of Object.entries(SHAPES)) {
    for (const concurrency of everyCase ? ['1', '8'] : ['8']) {
      test(`stores what was sent, or the file does not count: ${shape}, concurrency ${concurrency}`, async () => {
        await using world = await openWorld({ files });
        await using agent = await startEarlyAgent();
        const options = { 'base-url': agent.url, concurrency, retries: '0', summary: 'false' };
        const result = await runAction(
          world,
          { files: '*.bin', ...options, ...inputs },
          { task: 'upload' },
        );
        await agent.idle();
        const counted = result.report.files.filter(({ status }) => status === 'uploaded');
        for (const { source } of counted)
          assert.ok(agent.hasStored(source, files[source] ?? Buffer.alloc(0)), source);
        if (shape === 'streams') assert.equal(counted.length, 0);
      });
    }
  }
});

/**
 * Answers a request when it has seen its files' names, reads the rest later, and keeps every byte.
 */
async function startEarlyAgent() {
  const sockets = new Set<Socket>();
  const bodies: Buffer[] = [];
  const server = createServer(socket => {
    sockets.add(socket.on('error', () => {}));
    const chunks: Buffer[] = [];
    let answered = 0;
    socket.on('data', chunk => {
      chunks.push(chunk);
      const whole = Buffer.concat(chunks);
      const requests = requestsIn(whole);
      for (; answered < requests.length; answered += 1) {
        socket.write(answerTo(requests[answered] ?? ''));
        socket.pause();
        setTimeout(() => socket.resume(), 20);
      }
    });
    socket.on('close', () => {
      sockets.delete(socket);
      bodies.push(Buffer.concat(chunks));
    });
  });
  const port = await listenHere(server);
  return {
    url: `http://127.0.0.1:${port}`,
    async idle() {
      await Promise.all(
        [...sockets].map(socket => new Promise(resolve => socket.once('close', resolve))),
      );
    },
    hasStored(name: string, content: Buffer): boolean {
      return bodies.some(body => {
        const part = body.indexOf(`filename="${path.posix.basename(name)}"`);
        const start = body.indexOf('\r\n\r\n', part) + 4;
        return part >= 0 && body.subarray(start, start + content.length).equals(content);
      });
    },
    [Symbol.asyncDispose]: () => closeWith(server, [...sockets]),
  };
}

/** The requests whose bodies have started: their heads and those of the first parts. */
function requestsIn(received: Buffer): string[] {
  const text = received.toString('latin1');
  return text.split(/(?=POST \/files)/).filter(request => /filename="[^"]*"/.test(request));
}

function answerTo(request: string): string {
  const names = [...request.matchAll(/filename="([^"]*)"/g)].map(([, name = '']) => name);
  const entries = names.map(name => ({ path: `/home/user/${name}`, name, type: 'file' }));
  const body = JSON.stringify(entries);
  return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
