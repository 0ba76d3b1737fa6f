import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseDocument } from 'yaml';
import { PAGES, readPage, writeReference } from '../../dev/scripts/reference.ts';
import { AGGREGATE_NAMES, METRICS } from '../../src/gate/metrics.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8').replaceAll('\r', '');
const DOCUMENTS = globSync('{,.github/,*/,{dev,monitor,test}/*/}*.md', {
  cwd: PROJECT,
  exclude: ['node_modules'],
});

for (const page of PAGES)
  test(`a page has the inputs and outputs that npm run docs writes [${page.file}]`, async () => {
    assert.equal(readPage(page), await writeReference(page));
  });

test('examples/test.yml begins with the workflow of README.md, which fits a screen', () => {
  const [, workflow] = /^## No sandbox yet.*?^```yaml\n(.*?)^```$/ms.exec(read('README.md')) ?? [];
  assert.ok(workflow && workflow.split('\n').length <= 29);
  const example = read('examples/test.yml').replace(/^(#.*\n)+/, '');
  assert.ok(example.startsWith(workflow));
});

for (const file of DOCUMENTS) {
  test(`every link in a document leads somewhere, and its YAML parses [${file}]`, () => {
    const deadLinks = linksIn(file).filter(link => isDead(link, file));
    assert.deepEqual(deadLinks, []);
    for (const [, block = ''] of read(file).matchAll(/^```ya?ml\n(.*?)^```$/gms))
      assertParses(block, file);
  });
}

test('documents and examples give fromJSON a default, since GitHub fails a step with an empty text', () => {
  for (const file of [...DOCUMENTS, ...globSync('examples/*.yml', { cwd: PROJECT })])
    assert.doesNotMatch(read(file), /fromJSON\(steps[^|)]*\)/, file);
});

test('every YAML file parses', () => {
  const files = globSync('{examples,.github/**,.,*,monitor/stop}/*.yml', {
    cwd: PROJECT,
    exclude: ['node_modules'],
  });
  assert.ok(files.includes(path.normalize('.github/workflows/ci.yml')));
  for (const file of files) assertParses(read(file), file);
});

test('every package of package-lock.json has a hash, and none runs a script at installation', () => {
  const { packages }: { packages: Readonly<Record<string, object>> } = JSON.parse(
    read('package-lock.json'),
  );
  const { '': _, ...installed } = packages;
  const wrong = Object.entries(installed).filter(
    ([, entry]) => !('integrity' in entry) || 'hasInstallScript' in entry,
  );
  assert.deepEqual(wrong, []);
});

const AGGREGATES = AGGREGATE_NAMES.toSorted();

test('docs/gates.md names every metric and aggregate, and README.md every aggregate', () => {
  assert.deepEqual(namesInRow('metric'), Object.keys(METRICS).sort());
  assert.deepEqual(namesInRow('aggregate'), AGGREGATES);
  assert.deepEqual(namesIn(read('README.md'), /`\.(\w+)`/g), AGGREGATES);
});

test('schema/report-1.json has every aggregate and no other', () => {
  const { $defs } = JSON.parse(read('schema/report-1.json'));
  const { description, additionalProperties: metric } = $defs.aggregates;
  assert.deepEqual(Object.keys(metric.properties), AGGREGATE_NAMES);
  assert.deepEqual(metric.required, AGGREGATE_NAMES);
  assert.deepEqual(namesIn(description, /`(\w+)`/g), AGGREGATES);
});

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name).sort();
}

/** Returns the names in one row of the table of conditions in docs/gates.md. */
function namesInRow(part: string): string[] {
  const [row = ''] = new RegExp(`^\\| ${part} \\|.*$`, 'm').exec(read('docs/gates.md')) ?? [];
  return namesIn(row, /`(\w+)`/g);
}

/** Asserts that YAML has no errors, such as keys without a colon or repeated keys. */
function assertParses(yaml: string, file: string): void {
  const { errors, warnings } = parseDocument(yaml);
  assert.deepEqual([...errors, ...warnings], [], file);
}

/** Returns a document's links to files of this repository, except those in code. */
function linksIn(file: string): string[] {
  const prose = read(file).replaceAll(/^```.*?^```|`[^`\n]*`/gms, '');
  const links = prose.matchAll(/\]\(<?([^)\s>]+)|^\[[^\]]+\]: (\S+)|\b(?:href|src)="([^"]+)"/gm);
  const targets = [...links].map(([, inline, below, html]) => inline ?? below ?? html ?? '');
  return targets.filter(target => !/^\w+:/.test(target));
}

function isDead(link: string, from: string): boolean {
  const [place = '', anchor] = decodeURI(link).split('#');
  const file = place.startsWith('/') ? place.slice(1) : path.join(path.dirname(from), place);
  const target = place === '' ? from : file;
  if (!existsSync(path.join(PROJECT, target))) return true;
  return anchor !== undefined && !anchorsOf(target).includes(anchor);
}

/** Returns the anchors that GitHub generates for headings, without numbers for repeated ones. */
function anchorsOf(file: string): string[] {
  const text = read(file).replaceAll(/^```.*?^```/gms, '');
  return [...text.matchAll(/^#+ +(.*?) *$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
