import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { WINDOWS, WITHOUT_SIGNALS } from '../system.ts';
import { runAction, type Signal } from './run-action.ts';
import { openScriptedAgent, type Responder } from './scripted-agent.ts';
import { openJob, type TestJob } from './test-job.ts';

// CHAOS_SEEDS="1 2 3" tries these seeds instead.
const SEEDS = (process.env['CHAOS_SEEDS'] ?? '1 2 3 4 5 6').split(' ').map(Number);

/** How one attempt goes wrong; `at` is the part of the answer that is sent, its head included. */
type Fault =
  | { readonly kind: 'end' | 'reset' | 'stall'; readonly at: number }
  | { readonly kind: 'status'; readonly head: string; readonly body: string }
  | { readonly kind: 'chunked' | 'gzip' | 'announces-more' | 'no-length' };

const missing = `{"code":404,"message":"path '/x' does not exist"}`;

const FAULT: fc.Arbitrary<Fault> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('end', 'reset', 'stall'),
      at: fc.oneof(fc.constantFrom(0, 0.999_999), fc.double({ min: 0, max: 0.99, noNaN: true })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      head: fc.constantFrom(
        '400 A',
        '404 A',
        '404 A',
        '429 A',
        '500 A',
        '503 A',
        '302 A\r\nLocation: /x',
      ),
      body: fc.constantFrom('', missing, missing, '404 page not found', 'x'.repeat(200_000)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('chunked', 'gzip', 'announces-more', 'no-length'),
    }),
  },
);

const WAYS = WINDOWS
  ? (['nothing', 'file', 'folder'] as const)
  : (['nothing', 'file', 'folder', 'link', 'below-link'] as const);

const FILE = fc.record({
  size: fc.oneof(fc.constantFrom(0, 1, 65_536), fc.nat(4096), fc.nat(600 * 1024)),
  /** By attempt; later attempts succeed. */
  faults: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(FAULT, { minLength: 1, maxLength: 2 }) },
  ),
  before: fc.oneof(fc.constantFrom('nothing', 'file'), fc.constantFrom(...WAYS)),
});

const CHAOS = fc.record({
  files: fc.array(FILE, { minLength: 1, maxLength: 12 }),
  concurrency: fc.constantFrom('1', '3', 'auto'),
  retries: fc.constantFrom('0', '1'),
  ifNoFileFound: fc.constantFrom('error', 'warn', 'ignore'),
  cancelAt: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined, freq: 3 }),
});

type Chaos = typeof CHAOS extends fc.Arbitrary<infer T> ? T : never;

describe('a download', { concurrency: 3, skip: WITHOUT_SIGNALS }, () => {
  for (const seed of SEEDS)
    test(`every file that is reported as downloaded is whole, and every other path is as it was (seed ${seed})`, async t => {
      const [chaos] = fc.sample(CHAOS, { seed, numRuns: 1 });
      assert.ok(chaos);
      t.diagnostic(`seed ${seed}: ${await runDownload(chaos)}`);
    });
});

/** Returns how many files ended in which way. */
async function runDownload({ files, cancelAt, ...inputs }: Chaos): Promise<string> {
  await using job = await openJob({ files: {} });
  const targets = files.map(({ before }, index) => prepare(job, before, index));
  const contents = files.map(({ size }) => randomBytes(size));
  const running = Promise.withResolvers<Signal>();
  const attempts = new Map<number, number>();
  let requests = 0;
  await using agent = await openScriptedAgent({
    download(socket, request) {
      requests += 1;
      if (requests === cancelAt) void running.promise.then(signal => signal('SIGINT'));
      const index = Number(request.target);
      const attempt = attempts.get(index) ?? 0;
      attempts.set(index, attempt + 1);
      respondTo(contents[index] ?? Buffer.alloc(0), files[index]?.faults[attempt])(socket, request);
    },
  });
  const before = entriesBelow(job.workspace);
  const result = await runAction(
    job,
    {
      'base-url': agent.url,
      files: targets.map((target, index) => `${index} => ${target}`).join('\n'),
      concurrency: inputs.concurrency,
      retries: inputs.retries,
      'if-no-file-found': inputs.ifNoFileFound,
      timeout: '1s',
    },
    { task: 'download', onLine: (_, signal) => running.resolve(signal) },
  );
  assert.doesNotMatch(result.stdout, /is a bug; please report/);
  const reported = result.report.download.files;
  assert.deepEqual(
    reported.map(({ target }) => target),
    targets,
  );
  const expected = new Map(before);
  for (const [index, { target, status, size, sha256 }] of reported.entries()) {
    if (status !== 'downloaded') continue;
    const content = contents[index] ?? assert.fail();
    assert.deepEqual([size, sha256], [content.length, hash(content)]);
    assert.match(files[index]?.before ?? '', /^(nothing|file)$/, 'a link or folder was in the way');
    expected.set(target, hash(content));
  }
  assert.deepEqual(entriesBelow(job.workspace), expected);
  const bad = reported.some(({ status }) => status === 'failed' || status === 'not-attempted');
  if (!result.report.cancelled) assert.equal(result.exitCode, bad ? 1 : 0);
  return JSON.stringify(result.report.download.totals);
}

/** Makes what is at a target before the download. Returns the target. */
function prepare(job: TestJob, before: (typeof WAYS)[number], index: number): string {
  const at = (name: string) => path.join(job.workspace, name);
  if (before === 'file') writeFileSync(at(`${index}`), `before ${index}`);
  if (before === 'folder') mkdirSync(at(`${index}`));
  if (before === 'link') symlinkSync(path.join(job.outside, 'none'), at(`${index}`));
  if (before === 'below-link') symlinkSync(job.outside, at(`${index}`));
  return before === 'below-link'
    ? `${index}/x`
    : before === 'nothing'
      ? `new/${index}`
      : `${index}`;
}

function respondTo(content: Buffer, fault: Fault | undefined): Responder {
  const withHead = (head: string, body: Buffer | string = content) =>
    Buffer.concat([Buffer.from(`HTTP/1.1 ${head}\r\n\r\n`), Buffer.from(body)]);
  const length = content.length;
  const whole = withHead(`200 OK\r\nContent-Length: ${length}`);
  return socket => {
    switch (fault?.kind) {
      case undefined:
        return void socket.write(whole);
      case 'status':
        return void socket.write(
          withHead(`${fault.head}\r\nContent-Length: ${fault.body.length}`, fault.body),
        );
      case 'chunked': {
        const chunk =
          length === 0 ? '' : `${length.toString(16)}\r\n${content.toString('latin1')}\r\n`;
        const body = Buffer.from(`${chunk}0\r\n\r\n`, 'latin1');
        return void socket.write(withHead('200 OK\r\nTransfer-Encoding: chunked', body));
      }
      case 'gzip': {
        const packed = gzipSync(content);
        const head = `200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}`;
        return void socket.write(withHead(head, packed));
      }
      case 'announces-more':
        return void socket.end(withHead(`200 OK\r\nContent-Length: ${length + 1}`));
      case 'no-length':
        return void socket.end(withHead('200 OK'));
      case 'end':
      case 'reset':
      case 'stall': {
        const part = whole.subarray(0, Math.floor(whole.length * fault.at));
        if (fault.kind === 'end') return void socket.end(part);
        socket.write(part, () => fault.kind === 'reset' && socket.resetAndDestroy());
      }
    }
  };
}

const hash = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** Maps each file below a folder to its hash, and each link to where it leads. */
function entriesBelow(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries.flatMap(entry => {
      const place = path.join(entry.parentPath, entry.name);
      const name = path.relative(folder, place).replaceAll(path.sep, '/');
      if (entry.isSymbolicLink()) return [[name, readlinkSync(place)]];
      return entry.isFile() ? [[name, hash(readFileSync(place))]] : [];
    }),
  );
}
