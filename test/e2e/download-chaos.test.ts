import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { testChaos } from '../support/chaos.ts';
import { runAction, type Signal } from '../support/run-action.ts';
import { answer, openScriptedJob, type Responder } from '../support/scripted-agent.ts';
import { filesBelow, SKIP_WITHOUT_SIGNALS } from '../support/system.ts';
import type { Files } from '../support/test-job.ts';

const missing = `{"code":404,"message":"path '/x' does not exist"}`;

const FAULT = fc.oneof(
  fc.record({
    by: fc.constantFrom('end', 'reset', 'stall'),
    /** Fraction of the response, with its headers, that is sent before the fault. */
    at: fc.oneof(fc.constantFrom(0, 0.999_999), fc.double({ min: 0, max: 0.99, noNaN: true })),
  }),
  fc.record({
    status: fc.constantFrom(400, 404, 404, 429, 500, 503),
    body: fc.constantFrom('', missing, missing, '404 page not found', 'x'.repeat(200_000)),
  }),
);

type Fault = typeof FAULT extends fc.Arbitrary<infer T> ? T : never;

const FILE = fc.record({
  size: fc.oneof(fc.constantFrom(0, 1, 65_536), fc.nat(4096), fc.nat(600 * 1024)),
  /** One fault per attempt; later attempts succeed. */
  faults: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(FAULT, { minLength: 1, maxLength: 2 }) },
  ),
  /** A target exists before the download if its name begins with `old`. */
  target: fc.constantFrom('old', 'new', 'folder/new'),
});

const CHAOS = fc.record({
  files: fc.array(FILE, { minLength: 1, maxLength: 12 }),
  concurrency: fc.constantFrom('1', '3', 'auto'),
  retries: fc.constantFrom('0', '1'),
  cancelAt: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined, freq: 3 }),
});

type Chaos = typeof CHAOS extends fc.Arbitrary<infer T> ? T : never;

testChaos({
  name: 'every file that is reported as downloaded is whole, and every other path is as it was',
  seeds: [1, 11],
  chaos: CHAOS,
  run: runDownload,
  skip: SKIP_WITHOUT_SIGNALS,
});

async function runDownload({ files, cancelAt, ...inputs }: Chaos): Promise<string> {
  const targets = files.map(({ target }, index) => `${target}${index}`);
  const before = targets.filter(target => target.startsWith('old'));
  const old = Object.fromEntries(before.map(target => [target, `before ${target}`]));
  const contents = files.map(({ size }) => randomBytes(size));
  const running = Promise.withResolvers<Signal>();
  const attempts = new Map<number, number>();
  let requests = 0;
  const download: Responder = (socket, request) => {
    requests += 1;
    if (requests === cancelAt) void running.promise.then(signal => signal('SIGINT'));
    const index = Number(request.target);
    const attempt = attempts.get(index) ?? 0;
    attempts.set(index, attempt + 1);
    respondTo(contents[index] ?? assert.fail(), files[index]?.faults[attempt])(socket, request);
  };
  await using job = await openScriptedJob({ download }, old);
  const lines = targets.map((target, index) => `${index} => ${target}`).join('\n');
  const given = { files: lines, ...inputs, timeout: '1s' };
  const result = await runAction(job, given, { task: 'download', onStart: running.resolve });
  assert.doesNotMatch(result.stdout, /is a bug; please report/);
  const { files: reported, totals } = result.report.download;
  const expected: Record<string, string> = hashesOf(old);
  for (const [index, { target, status, size, sha256 }] of reported.entries()) {
    if (status !== 'downloaded') continue;
    const content = contents[index] ?? assert.fail();
    const sent = [targets[index], content.length, hash('sha256', content)];
    assert.deepEqual([target, size, sha256], sent);
    expected[target] = hash('sha256', content);
  }
  assert.deepEqual(hashesOf(filesBelow(job.workspace)), expected);
  assert.equal(reported.length, files.length);
  const isWhole = reported.every(({ status }) => status === 'downloaded');
  if (result.report.cancelled) assert.match(result.errors, /^Cancelled/m);
  else assert.equal(result.exitCode, isWhole ? 0 : 1);
  return JSON.stringify(totals);
}

function hashesOf(files: Files): Record<string, string> {
  const hashes = Object.entries(files).map(([name, content]) => [name, hash('sha256', content)]);
  return Object.fromEntries(hashes);
}

function respondTo(content: Buffer, fault: Fault | undefined): Responder {
  if (fault !== undefined && 'status' in fault) return answer(fault.status, fault.body);
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${content.length}\r\n\r\n`;
  const whole = Buffer.concat([Buffer.from(head), content]);
  if (fault === undefined) return socket => void socket.write(whole);
  const part = whole.subarray(0, Math.floor(whole.length * fault.at));
  return socket => {
    socket.write(part, () => {
      if (fault.by === 'end') socket.end();
      if (fault.by === 'reset') socket.resetAndDestroy();
    });
  };
}
