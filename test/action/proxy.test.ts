import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Fault } from '../../dev/agent/faults.ts';
import { hasOpenssl, makeKeys } from '../../dev/agent/keys.ts';
import { WITHOUT_SIGNALS } from '../system.ts';
import { everyCase } from '../telling.ts';
import {
  openWorld,
  type Result,
  type RunOptions,
  runAction,
  runWell,
  type Signal,
  type Task,
} from './harness.ts';
import { dripping, openProxy, pretending, refusing, type Say } from './proxy.ts';

type Entry = Exclude<Task, 'monitor-stop'>;

const ENTRIES: readonly Entry[] = ['sync', 'upload', 'stats', 'monitor'];

const SIGNAL_AT = import.meta.resolve('./signal-at.js');

/** Longer means for ever, or until a limit of the HTTP client itself. */
const HANGS_AFTER_MS = 8000;
const LONGEST_MS = 30_000;

/** Where a proxy fails a request. */
interface Stage {
  readonly scheme: 'http' | 'https';
  readonly instead: Say;
  /** How many requests to serve before. */
  readonly after?: number;
}

const SILENT: Say = () => {};

/** Stages that keep a request waiting. */
const WAITING: Readonly<Record<string, Stage>> = {
  'swallows CONNECT': { scheme: 'https', instead: SILENT },
  'drips the answer to CONNECT': { scheme: 'https', instead: dripping },
  'lets TLS stall after CONNECT': { scheme: 'https', instead: pretending },
  'swallows what it should forward': { scheme: 'http', instead: SILENT },
  'drips the answer': { scheme: 'http', instead: dripping },
};

const REFUSING: Readonly<Record<string, Stage & { readonly status: number }>> = {
  'refuses CONNECT with 407': { scheme: 'https', instead: refusing(407), status: 407 },
  'refuses CONNECT with 502': { scheme: 'https', instead: refusing(502), status: 502 },
  'refuses CONNECT with 407 after a success': {
    scheme: 'https',
    instead: refusing(407),
    after: 1,
    status: 407,
  },
  'refuses with 502 after a success': {
    scheme: 'http',
    instead: refusing(502),
    after: 1,
    status: 502,
  },
  'refuses with 407 after a success': {
    scheme: 'http',
    instead: refusing(407),
    after: 1,
    status: 407,
  },
};

/** Several requests, to each of which a proxy may answer differently. */
const REPEATED: Readonly<Record<Entry, Readonly<Record<string, string>>>> = {
  sync: { concurrency: '1', retries: '0' },
  upload: { concurrency: '1', retries: '0' },
  stats: { samples: '2', 'sample-interval': '200ms', retries: '0' },
  monitor: { 'sample-interval': '200ms' },
};

const keys = hasOpenssl ? makeKeys() : { key: '', cert: '', certFile: '', [Symbol.dispose]() {} };
after(() => keys[Symbol.dispose]());

suite('a proxy', { concurrency: 3, skip: !hasOpenssl && 'needs openssl' }, () => {
  for (const [index, task] of ENTRIES.entries()) {
    for (const [what, stage] of share(WAITING, index)) {
      test(`that ${what} is given up after timeout by ${task}`, {
        timeout: LONGEST_MS,
      }, async () => {
        const result = await runBehind(stage, task, { timeout: '300ms' });
        assertFailed(result, /^(GET|POST) .* failed: /m);
      });

      test(`that ${what} does not keep ${task} from being cancelled`, {
        timeout: LONGEST_MS,
        skip: WITHOUT_SIGNALS,
      }, async () => {
        const result = await runBehind(stage, task, { timeout: '10m' }, 'SIGINT');
        assertFailed(result, /^Cancelled/m);
      });
    }

    for (const [what, stage] of share(REFUSING, index)) {
      test(`that ${what} fails ${task}`, { timeout: LONGEST_MS }, async () => {
        const result = await runBehind(stage, task, { timeout: '30s' });
        // A monitor with samples succeeds.
        const isContent = task === 'monitor' && stage.scheme === 'http';
        if (!isContent) assertFailed(result, RegExp(`${stage.status}`));
        else
          assert.match(
            result.annotations('warning').join(),
            RegExp(`samples? failed.*${stage.status}`, 's'),
          );
      });
    }
  }
});

/** The stages to try with an entry: with all cases, every stage; otherwise a share. */
function share<T>(stages: Readonly<Record<string, T>>, index: number): [string, T][] {
  return Object.entries(stages).filter((_, at) => everyCase || at % ENTRIES.length === index);
}

/**
 * Runs an entry through a proxy that fails at a stage, and sends a signal when the proxy fails, or
 * when a monitor's post step starts.
 */
async function runBehind(
  { scheme, instead, after = 0 }: Stage,
  task: Entry,
  inputs: Readonly<Record<string, string>>,
  name?: NodeJS.Signals,
): Promise<Result> {
  let signal: Signal | undefined;
  const failing = Promise.withResolvers<void>();
  const breaks: Fault = { on: 'any', times: after, do: { kind: 'hang-up', at: 'after-body' } };
  await using world = await openWorld({
    files: { 'a.txt': 'a', 'b.txt': 'b' },
    // A broken tunnel is requested again.
    ...(scheme === 'https' && { tls: keys, faults: [breaks] }),
  });
  await using proxy = await openProxy({
    instead,
    after,
    agent: world.agent.url,
    onRequest() {
      failing.resolve();
      if (name !== undefined) signal?.(name);
    },
  });
  const url = `http://user:p%40ss-word@${proxy.address}`;
  const env = { HTTP_PROXY: url, HTTPS_PROXY: url, NODE_EXTRA_CA_CERTS: keys.certFile };
  const retried = scheme === 'https' && after > 0 && task !== 'monitor' ? { retries: '1' } : {};
  const byName = { 'base-url': 'http://agent.test', 'allow-insecure-http': 'true' };
  const given = { ...(scheme === 'http' && byName), ...REPEATED[task], ...retried, ...inputs };
  const options: RunOptions = {
    task,
    env,
    killAfterMs: HANGS_AFTER_MS,
    onStart(send) {
      signal = send;
    },
  };
  const result = task === 'monitor' ? await runPost() : await runAction(world, given, options);
  // The sampler must be gone, too.
  await proxy.idle();
  return result;

  async function runPost(): Promise<Result> {
    const { onStart: _, ...main } = options;
    const post = await runWell(world, given, main);
    await failing.promise;
    const itself =
      name === undefined ? {} : { NODE_OPTIONS: `--import=${SIGNAL_AT}`, SIGNAL: name };
    return await runAction(world, given, { ...main, post, env: { ...env, ...itself } });
  }
}

function assertFailed(result: Result, says: RegExp): void {
  assert.equal(result.exitCode, 1, result.stdout);
  assert.equal(result.stderr, '');
  assert.match(result.annotations('error').join('\n'), says);
  assert.ok('report' in result.outputs);
  assert.equal(result.report.succeeded, false);
  assert.ok(!result.everything.replace(/^::add-mask::.*$/gm, '').includes('p@ss-word'));
}
