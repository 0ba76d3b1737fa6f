import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { releaseNotes, versionOf } from '../../scripts/release-notes.ts';

const CHANGELOG = `# Changelog

## [2.0.0] - Unreleased

- Not yet

## [1.10.0] - 2026-12-01

### Added

- One
  and a half

## [1.1.0] - 2026-11-01

## [1.0.0] - 2026-10-01

- The first
`;

describe('the notes of a release', () => {
  test('are the section of the version', () => {
    assert.equal(releaseNotes(CHANGELOG, '1.10.0'), '### Added\n\n- One\n  and a half');
    assert.equal(releaseNotes(CHANGELOG, '1.0.0'), '- The first');
  });

  const errors: Readonly<Record<string, RegExp>> = {
    '1.2.0': /has no section ## \[1\.2\.0\]/,
    '1.10': /has no section/,
    '2.0.0': /has no date of release in the heading ## \[2\.0\.0\] - Unreleased/,
    '1.1.0': /tells nothing of 1\.1\.0/,
  };
  for (const [version, message] of Object.entries(errors)) {
    test(`cannot be had of ${version}`, () => assert.throws(() => releaseNotes(CHANGELOG, version), message));
  }
});

test('a tag must name the version of package.json', () => {
  assert.equal(versionOf('v1.2.3', '{ "version": "1.2.3" }'), '1.2.3');
  for (const tag of ['v1.2.4', '1.2.3', 'v1.2.3-rc', '']) {
    assert.throws(() => versionOf(tag, '{ "version": "1.2.3" }'), /does not name version 1\.2\.3/);
  }
});

test('CHANGELOG.md has a section for the version of package.json', () => {
  const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8');
  const { version }: { version?: string } = JSON.parse(read('package.json'));
  assert.ok(read('CHANGELOG.md').includes(`\n## [${version}] - `));
});
