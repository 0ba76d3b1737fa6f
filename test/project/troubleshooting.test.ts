import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');
/** The sources without their comments. */
const SOURCES = globSync('src/**/*.ts', { cwd: PROJECT }).map(file =>
  read(file).replaceAll(/^\s*(\/\/|\/?\*).*$/gm, ''),
);

/** Each message that a table in docs/troubleshooting.md quotes: the first cells that are code, or pieces of it. */
const QUOTED = [...read('docs/troubleshooting.md').matchAll(/^\| (`.*?) \| /gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message),
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
