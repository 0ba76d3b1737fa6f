import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, test } from 'node:test';
import { INPUT_NAMES } from '../../src/inputs/tasks.ts';
import { OUTCOMES } from './situations/outcomes.ts';
import { PARTS } from './situations/parts.ts';
import { PLACES } from './situations/places.ts';
import { REQUESTS } from './situations/requests.ts';
import { core, HINTS, type Seen } from './situations/seen.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const DOCUMENT = readFileSync(path.join(PROJECT, 'docs/troubleshooting.md'), 'utf8');

/** A message as the document quotes it. */
interface Quoted {
  readonly text: string;
  readonly pattern: RegExp;
  /** The whole row that it stands in. */
  readonly row: string;
}

const QUOTED = [...DOCUMENT.matchAll(/^\| (`.*?) \| .*$/gm)].flatMap(([row, cell = '']) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']): Quoted => ({ text, pattern: patternOf(text), row })),
);

const skip = process.platform === 'win32' && 'it has neither such links nor such signals';

describe('docs/troubleshooting.md', { skip }, () => {
  const seen: Seen[] = [];

  before(async () => {
    for (const happen of Object.values({ ...REQUESTS, ...OUTCOMES, ...PLACES, ...PARTS }))
      seen.push(await happen());
  });

  test('has an entry for every message that a user meets', () => {
    const messages = new Set(seen.flatMap(each => each.messages).map(core));
    assert.deepEqual(
      [...messages].filter(message => entriesFor(message).length === 0),
      [],
    );
  });

  test('quotes no message that nobody meets', () => {
    const shown = seen.flatMap(({ messages, log = [] }) => [...messages.map(core), ...log]);
    const unmet = QUOTED.filter(({ pattern }) => !shown.some(line => pattern.test(line)));
    assert.deepEqual(
      unmet.map(({ text }) => text),
      [],
    );
  });

  for (const [kind, hint] of HINTS) {
    // A cancelled request is none of the user's concern: the verdict says that the job was cancelled.
    if (kind === 'cancelled') continue;
    test(`advises on ${kind} as the action itself does`, () => {
      const failures = seen.flatMap(each => each.failures ?? []).filter(each => each.kind === kind);
      const rows = failures.flatMap(({ message }) => entriesFor(message)).map(({ row }) => row);
      assert.ok(rows.length > 0, 'no situation comes to it');
      for (const name of namesIn(hint))
        assert.ok(
          rows.some(row => namesIn(row).includes(name)),
          name,
        );
    });
  }

  test('has something to say on every sentence of the sources that reports a problem', () => {
    const missing = globSync('src/{agent,gate,github,inputs,monitor,report,run,stats,upload}/*.ts', {
      cwd: PROJECT,
    })
      .filter(file => path.basename(file) !== 'failure.ts')
      .flatMap(file => sentencesIn(readFileSync(path.join(PROJECT, file), 'utf8')))
      .filter(sentence => !DOCUMENT.includes(sentence));
    assert.deepEqual(missing, []);
  });
});

function entriesFor(message: string): Quoted[] {
  return QUOTED.filter(({ pattern }) => pattern.test(message));
}

/** A quoted message stands for itself, with any text for each `…`. */
function patternOf(text: string): RegExp {
  return new RegExp(
    `^${text
      .split('…')
      .map(part => RegExp.escape(part))
      .join('.*')}$`,
    's',
  );
}

const VARIABLES = ['HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS'];

/** The inputs and variables that a text speaks of. */
function namesIn(text: string): string[] {
  const words = new Set(text.match(/[\w-]+/g));
  return [...INPUT_NAMES.sync, ...VARIABLES].filter(name => words.has(name));
}

/** Of each text in a source that ends as a sentence does, the longest part that does not vary. */
function sentencesIn(source: string): string[] {
  const code = source.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '');
  const texts = [...code.matchAll(/(['"`])((?:\\.|(?!\1).)*?\w{2}\.)\1/g)].map(([, , text = '']) => text);
  return texts
    .filter(text => text.includes(' '))
    .map(text => text.split(/\$\{.*?\}/).toSorted((a, b) => b.length - a.length)[0] ?? '');
}
