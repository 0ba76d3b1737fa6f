import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { lstatSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { AgentError, failureOf } from '../../src/agent/failure.ts';
import { identityOf } from '../../src/agent/read-file.ts';
import type { PlannedFile } from '../../src/files/plan.ts';
import { findChanges, rowsAfter } from '../../src/upload/changes.ts';
import type { FileResult } from '../../src/upload/result.ts';
import type { StateRows } from '../../src/upload/state-file.ts';

// Runs of every kind against a sandbox with a few places, each with several spellings. Whatever the
// state says must be true of the sandbox.

const CONTENTS = ['one', 'two'];
const TARGETS = ['x', 'app/x', '/home/user/x', '/home/user/app/x', '/srv/x', 'y', '/home/user/y'];
const ENDS = ['stored', 'stored', 'in part', 'untouched', 'not tried'] as const;

const FOLDER = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'state-model-')));
for (const content of CONTENTS) writeFileSync(path.join(FOLDER, content), content);
after(() => rmSync(FOLDER, { recursive: true }));

interface Upload {
  readonly target: string;
  readonly content: string;
  readonly end: (typeof ENDS)[number];
}

const UPLOAD: fc.Arbitrary<Upload> = fc.record({
  target: fc.constantFrom(...TARGETS),
  content: fc.constantFrom(...CONTENTS),
  end: fc.constantFrom(...ENDS),
});
const RUN = fc.record({
  uploads: fc.uniqueArray(UPLOAD, { selector: ({ target }) => target, maxLength: 5 }),
  killed: fc.boolean(),
});

type Sandbox = Map<string, string>;

/** The path that an agent returns for a target. */
type Answer = (target: string) => string;

const placeOf: Answer = target => path.posix.resolve('/home/user', target);

const BUSY = failureOf(new AgentError('busy', 'It is busy.'));

function assertTrue(rows: StateRows, sandbox: Sandbox, what: string): void {
  for (const { target, sha256 } of rows.values()) {
    const digest = createHash('sha256').update(sandbox.get(placeOf(target)) ?? 'nothing');
    assert.equal(sha256, digest.digest('hex'), `${what}: ${target}`);
  }
}

function send(sandbox: Sandbox, { target, content, end }: Upload, answer: Answer): FileResult {
  const file = plannedFile({ target, content });
  const place = placeOf(target);
  if (end === 'not tried') return { status: 'not-attempted', file, reason: 'cancelled' };
  if (end === 'in part') sandbox.set(place, content.slice(0, 1));
  if (end !== 'stored') return { status: 'failed', file, attempts: 1, durationMs: 1, error: BUSY };
  sandbox.set(place, content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  return {
    status: 'uploaded',
    file,
    attempts: 1,
    durationMs: 1,
    path: answer(target),
    size: 3,
    sha256,
  };
}

function plannedFile({ target, content }: Pick<Upload, 'target' | 'content'>): PlannedFile {
  const realPath = path.join(FOLDER, content);
  return {
    source: content,
    realPath,
    identity: identityOf(lstatSync(realPath, { bigint: true })),
    target,
    size: content.length,
    isExecutable: false,
  };
}

for (const [name, answer] of Object.entries<Answer>({
  'the whole path': placeOf,
  'the path as it was given': target => target,
  'paths relative to a workspace': target => placeOf(target).slice(1),
})) {
  test(`the state is true after any runs, of an agent that answers ${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(RUN, { maxLength: 8 }), async runs => {
        const sandbox: Sandbox = new Map();
        let rows: StateRows = new Map();
        for (const { uploads, killed } of runs) {
          const files = uploads.map(plannedFile);
          const { unchanged } = await findChanges(files, rows, new AbortController().signal);
          const places = new Set(unchanged.values().map(({ path }) => path));
          const same = new Map([...rows].filter(([place]) => places.has(place)));
          const results = uploads.flatMap((upload, index): FileResult[] => {
            const file = files[index];
            return file === undefined || unchanged.has(file) ? [] : [send(sandbox, upload, answer)];
          });
          // A killed run has removed its state.
          rows = killed ? new Map() : rowsAfter(rows, results);
          assertTrue(rows, sandbox, 'state');
          assertTrue(same, sandbox, 'reported as unchanged');
        }
      }),
      { numRuns: 400 },
    );
  });
}
