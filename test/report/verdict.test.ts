import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { InputError } from '../../src/inputs/parse.ts';
import { type Report, succeeded } from '../../src/report/report.ts';
import { adviceOn, failureGroups, furtherLines, headline, reportedError } from '../../src/report/verdict.ts';
import {
  BUSY,
  FULL,
  failed,
  notAttempted,
  report,
  STATS,
  skipped,
  statsOf,
  unchanged,
  uploaded,
} from './reports.ts';

const SHARE = { index: 2, count: 4, files: 2, planned: 2000 };
const BAD_STATS = { message: 'The stats could not be had.', details: ['Try again.'] };

interface Case {
  readonly parts: Partial<Report>;
  readonly says: string;
  readonly succeeds: boolean;
}

const CASES: Readonly<Record<string, Case>> = {
  'all uploaded': {
    parts: { files: [uploaded('a', 1024), uploaded('b', 1024)] },
    says: 'Uploaded 2 files (2 KiB) in 2 s.',
    succeeds: true,
  },
  'one uploaded': {
    parts: { files: [uploaded('a', 1)] },
    says: 'Uploaded 1 file (1 B) in 2 s.',
    succeeds: true,
  },
  'nothing to upload': { parts: {}, says: 'There was no file to upload.', succeeds: true },
  'nothing uploaded, something left out': {
    parts: { leftOut: [{ path: 'l', reason: 'a broken link' }] },
    says: 'There was no file to upload.',
    succeeds: true,
  },
  'some unchanged': {
    parts: { files: [unchanged('a'), uploaded('b', 1024), unchanged('c')] },
    says: 'Uploaded 1 file (1 KiB) in 2 s, 2 unchanged.',
    succeeds: true,
  },
  'all unchanged': {
    parts: { files: [unchanged('a'), unchanged('b')] },
    says: 'Nothing was sent, 2 files unchanged.',
    succeeds: true,
  },
  'all unchanged, and no stats': {
    parts: { files: [unchanged('a')], errors: [BAD_STATS] },
    says: 'Nothing was sent, 1 file unchanged, but the step failed: The stats could not be had.',
    succeeds: false,
  },
  'some unchanged, some failed': {
    parts: { files: [unchanged('a'), uploaded('b'), failed('c')] },
    says: '1 of 2 files arrived, 1 failed, 1 unchanged.',
    succeeds: false,
  },
  'some unchanged, and no stats': {
    parts: { files: [unchanged('a'), uploaded('b')], errors: [BAD_STATS] },
    says: '1 of 1 file arrived, 1 unchanged, but the step failed: The stats could not be had.',
    succeeds: false,
  },
  'a dry run with some unchanged': {
    parts: { dryRun: true, files: [skipped('a'), unchanged('b')] },
    says: 'Dry run: 1 file (10 B) would be uploaded, 1 unchanged; nothing was sent.',
    succeeds: true,
  },
  'a share of the files': {
    parts: { files: [uploaded('a', 1024), uploaded('b', 1024)], share: SHARE },
    says: 'Uploaded 2 files (2 KiB) in 2 s (shard 2 of 4).',
    succeeds: true,
  },
  'a share that did not arrive': {
    parts: { files: [uploaded('a'), failed('b')], share: SHARE },
    says: '1 of 2 files arrived, 1 failed (shard 2 of 4).',
    succeeds: false,
  },
  'an empty share': {
    parts: { share: { ...SHARE, files: 0 } },
    says: 'Of 2,000 files, none falls to this run (shard 2 of 4).',
    succeeds: true,
  },
  'a share of nothing': {
    parts: { share: { ...SHARE, files: 0, planned: 0 } },
    says: 'There was no file to upload (shard 2 of 4).',
    succeeds: true,
  },
  'a dry run': {
    parts: { dryRun: true, files: [skipped('a'), skipped('b')] },
    says: 'Dry run: 2 files (20 B) would be uploaded; nothing was sent.',
    succeeds: true,
  },
  'a dry run with something left out': {
    parts: { dryRun: true, files: [skipped('a')], leftOut: [{ path: 'l', reason: 'a broken link' }] },
    says: 'Dry run: 1 file (10 B) would be uploaded, 1 left out; nothing was sent.',
    succeeds: true,
  },
  'a dry run with all unchanged': {
    parts: { dryRun: true, files: [unchanged('a')] },
    says: 'Dry run: nothing would be uploaded, 1 file unchanged.',
    succeeds: true,
  },
  'a dry run of an empty share': {
    parts: { dryRun: true, share: { ...SHARE, files: 0 } },
    says: 'Of 2,000 files, none falls to this run (shard 2 of 4).',
    succeeds: true,
  },
  'some failed': {
    parts: { files: [uploaded('a'), failed('b'), failed('c')] },
    says: '1 of 3 files arrived, 2 failed.',
    succeeds: false,
  },
  'some not attempted': {
    parts: { files: [failed('a'), notAttempted('b'), notAttempted('c')] },
    says: '0 of 3 files arrived, 1 failed, 2 not attempted.',
    succeeds: false,
  },
  'only not attempted': {
    parts: { files: [notAttempted('a')] },
    says: '0 of 1 file arrived, 1 not attempted.',
    succeeds: false,
  },
  cancelled: {
    parts: { cancelled: true, files: [uploaded('a'), failed('b'), notAttempted('c')] },
    says: 'Cancelled: 1 of 3 files arrived, 1 failed, 1 not attempted.',
    succeeds: false,
  },
  'cancelled when all had arrived': {
    parts: { cancelled: true, files: [uploaded('a')] },
    says: 'Cancelled: 1 of 1 file arrived.',
    succeeds: false,
  },
  'cancelled before the first reading': {
    parts: { task: 'stats', cancelled: true },
    says: 'Cancelled: the sandbox had not been read.',
    succeeds: false,
  },
  'wrong inputs': {
    parts: { errors: [{ message: 'The inputs have 2 problems. Nothing was sent.', details: ['a', 'b'] }] },
    says: 'The inputs have 2 problems. Nothing was sent.',
    succeeds: false,
  },
  'no stats after a good upload': {
    parts: { files: [uploaded('a')], errors: [BAD_STATS] },
    says: '1 of 1 file arrived, but the step failed: The stats could not be had.',
    succeeds: false,
  },
  'no stats after a bad upload': {
    parts: { files: [failed('a')], errors: [BAD_STATS] },
    says: '0 of 1 file arrived, 1 failed. The stats could not be had.',
    succeeds: false,
  },
};

describe('the headline and the verdict', () => {
  for (const [name, { parts, says, succeeds }] of Object.entries(CASES)) {
    test(name, () => {
      assert.equal(headline(report(parts)), says);
      assert.equal(succeeded(report(parts)), succeeds);
    });
  }

  test('thousands are parted', () => {
    const files = Array.from({ length: 12_345 }, (_, index) => failed(`${index}`));
    assert.equal(headline(report({ files })), '0 of 12,345 files arrived, 12,345 failed.');
  });
});

describe('failureGroups', () => {
  test('those that say the same together, the largest first, in plan order', () => {
    const unavailable = new AgentError('busy', 'Another message.', { status: 429 });
    const conflict = new AgentError('busy', 'A conflict.', { status: 409 });
    const files = [
      failed('a', FULL),
      failed('b', BUSY),
      uploaded('c'),
      failed('d', conflict),
      notAttempted('e'),
      failed('f', unavailable),
      failed('g', BUSY),
    ];
    assert.deepEqual(failureGroups(report({ files })), [
      { error: BUSY, sources: ['b', 'g'] },
      { error: FULL, sources: ['a'] },
      { error: conflict, sources: ['d'] },
      { error: unavailable, sources: ['f'] },
    ]);
  });

  test('there are none where nothing failed', () => {
    assert.deepEqual(failureGroups(report({ files: [uploaded('a'), notAttempted('b')] })), []);
  });
});

describe('adviceOn', () => {
  const stats = statsOf({ disk_used: 2 * 1024 ** 3, disk_total: 2 * 1024 ** 3 });

  test("a full disk comes with the sandbox's figures", () => {
    assert.equal(adviceOn(FULL, report({ stats })), `${FULL.hint} It uses 2 GiB of 2 GiB.`);
  });
  test('without figures it is the hint', () => {
    assert.equal(adviceOn(FULL, report()), FULL.hint);
    assert.equal(adviceOn(FULL, report({ stats: statsOf({ disk_used: 1 }) })), FULL.hint);
    assert.equal(adviceOn(FULL, report({ stats: statsOf({ disk_total: 1 }) })), FULL.hint);
  });
  test('other failures have nothing to do with the disk', () => {
    assert.equal(adviceOn(BUSY, report({ stats: STATS })), BUSY.hint);
  });
});

test('the further lines are the details, and whatever else failed', () => {
  const errors = [
    { message: 'one', details: ['two', 'three'] },
    { message: 'four', details: ['five'] },
  ];
  assert.deepEqual(furtherLines(report({ errors })), ['two', 'three', 'four', 'five']);
});

describe('reportedError', () => {
  const port = { input: 'port', message: '"x" is no port.', example: 'port: 1' };
  test('one problem is the message', () => {
    assert.deepEqual(reportedError(new InputError([port])), {
      message: 'port: "x" is no port. Example: port: 1',
      details: ['Nothing was sent.'],
    });
  });
  test('several are counted and listed', () => {
    assert.deepEqual(reportedError(new InputError([port, { input: 'files', message: 'No.' }])), {
      message: 'The inputs have 2 problems. Nothing was sent.',
      details: ['port: "x" is no port. Example: port: 1', 'files: No.'],
    });
  });
  test('several problems of one input are no two inputs', () => {
    const { message } = reportedError(new InputError([port, port, port]));
    assert.doesNotMatch(message, /3 inputs/);
  });
  test('a failure of the agent comes with its hint', () => {
    assert.deepEqual(reportedError(BUSY), { message: BUSY.message, details: [BUSY.hint] });
  });
});
