import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { posix } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { AgentError } from '../../src/agent/failure.ts';
import {
  compareWithState,
  readState,
  removeState,
  writeState,
} from '../../src/upload/state-file.ts';
import { parseSyncInputs } from '../support/parse-inputs.ts';
import { notAttempted, simulate } from '../support/simulated-transfer.ts';
import { openTempFolder } from '../support/temp-folder.ts';

// Simulates random runs against a sandbox in which two targets can mean the same path.

const folder = openTempFolder();
after(() => folder[Symbol.dispose]());

const TARGETS = ['x', 'app/x', '/home/user/x', '/home/user/app/x', '/srv/x', 'y'];
const UPLOAD = fc.record({
  target: fc.constantFrom(...TARGETS),
  content: fc.constantFrom('one', 'two'),
  fails: fc.boolean(),
});
const RUN = fc.record({
  uploads: fc.uniqueArray(UPLOAD, { selector: ({ target }) => target, maxLength: 4 }),
  isSound: fc.boolean(),
  isKilled: fc.boolean(),
  /** Index of the request at which the job is cancelled. */
  cancelledAt: fc.option(fc.nat(3), { nil: undefined }),
  concurrency: fc.constantFrom(1, 3),
  deletesOrphans: fc.boolean(),
});

const CANCELLED = new AgentError('cancelled', 'The job was cancelled.');
const SERVER = new AgentError('server', 'It failed.', { status: 500 });
const FILES = new Map(
  TARGETS.flatMap(target =>
    ['one', 'two'].map(
      content => [`${target} ${content}`, folder.writePlanned(target, content)] as const,
    ),
  ),
);

test('after a green run, the sandbox has every file, whatever earlier runs did', async () => {
  const inputs = parseSyncInputs({ 'state-file': 'state.json' });
  const placeOf = (target: string) => posix.resolve('/home/user', target);
  const runs = fc.array(RUN, { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(runs, async all => {
      const sandbox = new Map<string, string>();
      const first = readState(inputs, folder.path);
      if (first !== undefined) removeState(first);
      for (const run of all) {
        const { uploads, isSound, isKilled, cancelledAt, concurrency, deletesOrphans } = run;
        const state = readState(inputs, folder.path) ?? assert.fail();
        const files = uploads.map(
          ({ target, content }) => FILES.get(`${target} ${content}`) ?? assert.fail(),
        );
        const job = new AbortController();
        const changes = await compareWithState(files.map(notAttempted), state, job.signal);
        const { files: unchanged, orphaned } = changes;
        for (const [index, { target, content }] of uploads.entries())
          if (unchanged[index]?.status === 'unchanged')
            assert.equal(sandbox.get(placeOf(target)), content, `${target} is unchanged`);
        removeState(state);
        let requests = 0;
        const { results } = await simulate(files, undefined, {
          unchanged,
          concurrency,
          cancel: job.signal,
          async storeFiles([file = assert.fail()]) {
            if (requests === cancelledAt) job.abort();
            requests += 1;
            const upload = uploads.find(({ target }) => target === file.target) ?? assert.fail();
            const place = placeOf(file.target);
            const isStored = isSound || !upload.fails;
            // A failed upload may leave a partial file.
            sandbox.set(place, isStored ? upload.content : 'part');
            if (job.signal.aborted) throw CANCELLED;
            if (!isStored) throw SERVER;
            const sha256 = hash('sha256', upload.content);
            return [{ file, path: place, sha256 }];
          },
        });
        if (isKilled) continue;
        writeState(state, results);
        const isGreen = results.every(
          ({ status }) => status === 'uploaded' || status === 'unchanged',
        );
        for (const { target, content } of isGreen ? uploads : [])
          assert.equal(sandbox.get(placeOf(target)), content, target);
        if (isGreen && deletesOrphans)
          for (const place of orphaned)
            if (!results.some(result => 'path' in result && result.path === place))
              sandbox.delete(place);
      }
    }),
    { numRuns: 500 },
  );
});
