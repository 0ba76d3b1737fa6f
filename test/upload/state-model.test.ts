import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { AgentError } from '../../src/agent/failure.ts';
import { clearState, compareWithState, readState } from '../../src/upload/state-file.ts';
import { sendPlan } from '../../src/upload/upload.ts';
import { isStored } from '../../src/upload/upload-files.ts';
import { parseSyncInputs } from '../support/parse-inputs.ts';
import { type Request, simulateAgent } from '../support/simulated-transfer.ts';
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
  /** Index of the request at which the step is killed. */
  killedAt: fc.option(fc.nat(3), { nil: undefined }),
  /** Index of the request at which the job is cancelled. */
  cancelledAt: fc.option(fc.nat(3), { nil: undefined }),
  concurrency: fc.constantFrom(1, 3),
  deletesOrphans: fc.boolean(),
});

const KILLED = new Error('The step was killed.');
const CANCELLED = new AgentError('cancelled', 'The job was cancelled.');
const SERVER = new AgentError('server', 'It failed.', { status: 500 });
const FILES = new Map(
  TARGETS.flatMap(target =>
    ['one', 'two'].map(
      content => [`${target} ${content}`, folder.writePlanned(target, content)] as const,
    ),
  ),
);

test('a green upload with a state file leaves every file in the sandbox, whatever earlier uploads did', async () => {
  const stateInputs = parseSyncInputs({ 'state-file': 'state.json' });
  const placeOf = (target: string) => posix.resolve('/home/user', target);
  const runs = fc.array(RUN, { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(runs, async all => {
      const sandbox = new Map<string, string>();
      const first = readState(stateInputs, folder.path);
      if (first !== undefined) clearState(first);
      for (const run of all) {
        const { uploads, isSound, killedAt, cancelledAt, concurrency, deletesOrphans } = run;
        const state = readState(stateInputs, folder.path) ?? assert.fail();
        const files = uploads.map(
          ({ target, content }) => FILES.get(`${target} ${content}`) ?? assert.fail(),
        );
        const byTarget = new Map(uploads.map(upload => [upload.target, upload]));
        const job = new AbortController();
        const compared = await compareWithState(files, state, job.signal);
        let requests = 0;
        const store = ({ name }: Request) => {
          if (requests === cancelledAt) job.abort();
          const isKilled = requests === killedAt;
          requests += 1;
          const upload = byTarget.get(name) ?? assert.fail();
          const isKept = isSound || !upload.fails;
          // A failed upload may leave a partial file.
          sandbox.set(placeOf(name), isKept ? upload.content : 'part');
          if (isKilled) return KILLED;
          if (job.signal.aborted) return CANCELLED;
          return isKept ? undefined : SERVER;
        };
        const { inputs, client, context } = simulateAgent(store, {
          stateFile: stateInputs.stateFile,
          storedPath: placeOf,
          concurrency,
          cancel: job.signal,
        });
        const plan = { ...compared, skipped: [], shard: undefined, warnings: [], state };
        const sending = sendPlan(plan, inputs, client, context);
        // A killed step ends here, with whatever it has written so far.
        const result = await sending.catch((error: unknown) => assert.equal(error, KILLED));
        if (result === undefined) continue;
        assert.deepEqual(result.warnings, []);
        if (!result.files.every(isStored)) continue;
        for (const { target, content } of uploads)
          assert.equal(sandbox.get(placeOf(target)), content, target);
        if (deletesOrphans) for (const place of result.orphaned) sandbox.delete(place);
      }
    }),
    { numRuns: 500 },
  );
});
