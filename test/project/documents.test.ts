import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { mapping, readYaml } from '../../dev/runner/yaml.ts';
import { freshDocument, GENERATED } from '../../dev/scripts/readme-tables.ts';
import { releaseNotes, versionOf } from '../../dev/scripts/release-notes.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');

for (const file of GENERATED) {
  test(`the tables in ${file} match action.yml and the benchmark (npm run docs regenerates them)`, async () => {
    assert.equal(read(file), await freshDocument(file));
  });
}

/** The sources without their comments. */
const SOURCES = globSync('src/**/*.ts', { cwd: PROJECT }).map(file =>
  read(file).replaceAll(/^\s*(\/\/|\/?\*).*$/gm, ''),
);

/** The messages quoted in docs/troubleshooting.md: each piece of code in a first cell. */
const QUOTED = [...read('docs/troubleshooting.md').matchAll(/^\| (`.*?) \| /gm)].flatMap(
  ([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message),
);

test('docs/troubleshooting.md quotes messages', () => assert.ok(QUOTED.length > 40));

for (const message of QUOTED) {
  test(`a message has the words: ${message}`, () => {
    for (const words of message.split('…')) {
      assert.ok(
        SOURCES.some(source => source.includes(words)),
        words,
      );
    }
  });
}

test('README.md is short enough to be read', () => {
  assert.ok(read('README.md').trim().split(/\s+/).length <= 2400);
});

test('the quick start of README.md is examples/sync.yml', () => {
  const [, workflow = ''] =
    /^## Quick start\n.*?^```yaml\n(.*?)^```$/ms.exec(read('README.md')) ?? [];
  assert.equal(workflow, read('examples/sync.yml').replace(/^(#.*\n)+/, ''));
});

describe('every link inside the repository leads somewhere', () => {
  for (const file of globSync('{,.github/,*/,.github/*/,dev/*/,monitor/*/}*.md', {
    cwd: PROJECT,
  })) {
    test(file, () => assert.deepEqual(linksIn(file).filter(isDead(file)), []));
  }
});

/** The links of a document within the repository, except in code. */
function linksIn(file: string): string[] {
  const prose = read(file).replaceAll(/^```.*?^```|`[^`\n]*`/gms, '');
  const links = prose.matchAll(/\]\(<?([^)\s>]+)|^\[[^\]]+\]: (\S+)|\b(?:href|src)="([^"]+)"/gm);
  const targets = [...links].map(([, inline, below, html]) => inline ?? below ?? html ?? '');
  return targets.filter(target => !/^\w+:/.test(target));
}

function isDead(from: string): (link: string) => boolean {
  return link => {
    const [place = '', anchor] = decodeURI(link).split('#');
    const file = place.startsWith('/') ? place.slice(1) : path.join(path.dirname(from), place);
    const target = place === '' ? from : file;
    if (!existsSync(path.join(PROJECT, target))) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  };
}

/** The anchors of a document's headings on GitHub. */
function anchorsOf(file: string): string[] {
  const headings = [
    ...read(file)
      .replaceAll(/^```.*?^```/gms, '')
      .matchAll(/^#+ +(.*?) *$/gm),
  ];
  const names = headings.map(([, text = '']) =>
    text
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return names.map((name, index) => {
    const same = names.slice(0, index).filter(each => each === name).length;
    return same === 0 ? name : `${name}-${same}`;
  });
}

test('a dead link is found, to a file or to an anchor', () => {
  const links = [
    'CHANGELOG.md',
    '../README.md#inputs',
    '#outputs',
    'main.md',
    '../README.md#input',
    '#output',
  ];
  assert.deepEqual(links.filter(isDead('upload/README.md')), [
    'CHANGELOG.md',
    'main.md',
    '../README.md#input',
    '#output',
  ]);
});

const TYPES = ['checkboxes', 'dropdown', 'input', 'markdown', 'textarea'];

for (const file of globSync('.github/ISSUE_TEMPLATE/!(config).yml', { cwd: PROJECT })) {
  test(`${file} is a form that GitHub can show`, async () => {
    const form = await readYaml(path.join(PROJECT, file));
    for (const key of ['name', 'description']) assert.equal(typeof form[key], 'string', key);
    const fields = Object.values(mapping(form['body'])).map(mapping);
    assert.ok(fields.length > 0);
    for (const { type, attributes } of fields) {
      assert.ok(TYPES.includes(String(type)), String(type));
      assert.equal(typeof mapping(attributes)['label'], 'string');
    }
    const ids = fields.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, 'two fields have one id');
  });
}

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
    test(`cannot be had of ${version}`, () =>
      assert.throws(() => releaseNotes(CHANGELOG, version), message));
  }
});

test('a tag must name the version of package.json', () => {
  assert.equal(versionOf('v1.2.3', '{ "version": "1.2.3" }'), '1.2.3');
  for (const tag of ['v1.2.4', '1.2.3', 'v1.2.3-rc', '']) {
    assert.throws(() => versionOf(tag, '{ "version": "1.2.3" }'), /does not name version 1\.2\.3/);
  }
});

test('CHANGELOG.md has a section for the version of package.json', () => {
  const { version }: { version?: string } = JSON.parse(read('package.json'));
  assert.ok(read('CHANGELOG.md').includes(`\n## [${version}] - `));
});
