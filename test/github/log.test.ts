import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { harmless } from '../../src/text/visible.ts';

const LINES: Readonly<Record<string, string>> = {
  'plain text': 'plain text',
  '': '',
  'std::vector': 'std::vector',
  'a ::error::b': 'a ::error::b',
  '::error::x': '\\::error::x',
  '::set-output name=a::b': '\\::set-output name=a::b',
  '  ::error::x': '\\  ::error::x',
  '\u00a0::error::x': '\\\u00a0::error::x',
  '\t::error::x': '\\t::error::x',
  '\ufeff::error::x': '\\u{feff}::error::x',
  'a\n::error::x': 'a\\n::error::x',
  'a\r::error::x': 'a\\r::error::x',
  'a\u2028::error::x': 'a\\u{2028}::error::x',
  'a\u0085::error::x': 'a\\u{85}::error::x',
  '##[error]x': '##\\[error]x',
  'a ##[group]b ##[endgroup]': 'a ##\\[group]b ##\\[endgroup]',
  '###[error]x': '###\\[error]x',
  '##\u200b[error]x': '##\\u{200b}[error]x',
  '\u001b[31mred': '\\u{1b}[31mred',
};

describe('a line of the log is only shown', () => {
  for (const [text, shown] of Object.entries(LINES)) {
    test(JSON.stringify(text), () => assert.equal(harmless(text), shown));
  }

  // The runner trims a line and takes one that begins with :: for a command, and ##[ wherever it stands.
  test('whatever it is made of, it is no command, and one line', () => {
    const pieces = [
      '::',
      ':',
      '##[',
      '#',
      '[',
      ' ',
      '\n',
      '\r',
      '\t',
      '\u00a0',
      '\u2028',
      '\ufeff',
      '\\',
      'error',
    ];
    for (const one of pieces) {
      for (const two of pieces) {
        for (const three of pieces) {
          const line = harmless(`${one}${two}${three}error::x`);
          assert.doesNotMatch(
            line,
            /[\r\n\u2028\u2029\u0085]|^\s*::|##\[/,
            JSON.stringify([one, two, three]),
          );
        }
      }
    }
  });
});
