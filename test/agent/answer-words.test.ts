import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { whatItSaid } from '../../src/agent/answer.ts';
import { asIs } from './answers.ts';

const WORDS: Readonly<Record<string, string>> = {
  '': '',
  ' \r\n\t ': '',
  'plain words': 'plain words',
  '  two\r\nlines \n\n of\ttext ': 'two lines of text',
  '{"code":400,"message":"a message"}': 'a message',
  '{"sandboxId":"i1","message":"a message","code":502}': 'a message',
  '{"code":"not_found","message":"a message"}': 'a message',
  '{"error":"an error"}': 'an error',
  '{"message":7,"error":"an error"}': 'an error',
  '{"message":"","code":1}': '',
  '{"message":"two\\nlines"}': 'two lines',
  '"a string"': 'a string',
  '{"code":5}': '{"code":5}',
  '{"error":{"message":"nested"}}': '{"error":{"message":"nested"}}',
  '[]': '[]',
  null: 'null',
  '{"message":"cut': '{"message":"cut',
  '<html><head><title>502 Bad Gateway</title></head><body><h1>502</h1></body></html>': '502 Bad Gateway 502',
  '<style>p { color: red }</style>words<script>run()</script>': 'words',
  '<STYLE a="b">\np {}\n</STYLE>words<Script>never closed': 'words',
  '<styled>words</styled>': 'words',
};

describe('the words of a body', () => {
  for (const [text, words] of Object.entries(WORDS)) {
    test(JSON.stringify(text), () => assert.equal(whatItSaid(text, asIs), words));
  }

  test('300 characters are whole', () => {
    assert.equal(whatItSaid('x'.repeat(300), asIs), 'x'.repeat(300));
  });

  for (const [name, text] of Object.entries({
    text: 'x'.repeat(5000),
    JSON: JSON.stringify({ message: 'x'.repeat(5000) }),
    HTML: `<p>${'x'.repeat(5000)}</p>`,
  })) {
    test(`${name} is cut to 300 characters`, () => {
      assert.equal(whatItSaid(text, asIs), `${'x'.repeat(300)}…`);
    });
  }

  test('no half of a character is left at the cut', () => {
    const words = whatItSaid(`${'x'.repeat(299)}${'😀'.repeat(5)}`, asIs);
    assert.ok(words.isWellFormed());
  });
});

const HOSTILE: Readonly<Record<string, string>> = {
  'open angles': '<',
  'open tags': '<a ',
  'open styles': '<style>',
  'open scripts': '<script ',
  'half-closed styles': '<style></style',
  'white space': ' ',
  'line breaks': '\r\n',
  brackets: '[',
  quotes: '"',
  'the word sandbox': 'sandbox ',
};

describe('the time for a hostile body', () => {
  for (const [name, piece] of Object.entries(HOSTILE)) {
    test(`does not run away with its length: ${name}`, () => {
      const calls = [2 ** 15, 2 ** 17].map(length => piece.repeat(length / piece.length));
      const [small = 0, large = 0] = fastest(calls.map(text => () => whatItSaid(text, asIs)));
      // Four times the length: linear is 4, quadratic 16. Linear takes some milliseconds, quadratic seconds: what takes less
      // than ten times the floor is no more than a busy machine.
      const floor = 25;
      assert.ok(large <= 10 * Math.max(small, floor), `${small} ms became ${large} ms`);
    });
  }
});

/** Milliseconds of the fastest of some runs of each call; they take turns, so that a busy machine hits all alike. */
function fastest(calls: readonly (() => unknown)[]): number[] {
  const runs = Array.from({ length: 5 }, () => calls.map(timed));
  return calls.map((_, index) => Math.min(...runs.map(times => times[index] ?? 0)));
}

function timed(call: () => unknown): number {
  const start = performance.now();
  call();
  return performance.now() - start;
}
