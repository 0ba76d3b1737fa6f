import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestOf } from '../../src/report/upload-section.ts';
import { verdictOf } from '../../src/report/verdict.ts';
import { report } from './build-report.ts';
import { failed, notAttempted, SHA256, unchanged, uploaded } from './file-results.ts';

test('checksums list the hashed files in the sandbox, in the format of sha256sum', () => {
  const files = [unchanged('a\nb\\c'), uploaded('not hashed'), failed('d')];
  const line = `\\${SHA256}  /home/user/app/a\\nb\\\\c\n`;
  assert.equal(verdictOf(report({ files })).checksums, line);
});

test('the digest does not depend on the order of the files', () => {
  const build = [unchanged('b'), unchanged('a')];
  assert.match(digestOf(build), /^sha256:[0-9a-f]{64}$/);
  assert.equal(digestOf(build), digestOf(build.toReversed()));
});

test('an incomplete or empty build has no digest', () => {
  assert.equal(digestOf([unchanged('b'), unchanged('a'), notAttempted('c')]), '');
  assert.equal(digestOf([]), '');
});
