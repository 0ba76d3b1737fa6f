import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { escapeCommands, escapeInvisible, quote, truncate } from '../../src/text/escape.ts';

const SHOWN: Readonly<Record<string, string>> = {
  'plain text, ünï, 日本, 😀': 'plain text, ünï, 日本, 😀',
  '<b>&"\'`*_#[]|': '<b>&"\'`*_#[]|',
  'a\nb': 'a\\nb',
  'a\r\nb': 'a\\r\\nb',
  'a\tb': 'a\\tb',
  '\u0000\u0007\u001b[31m\u007f': '\\u{0}\\u{7}\\u{1b}[31m\\u{7f}',
  '\u0085\u009b': '\\u{85}\\u{9b}',
  '\u2028\u2029': '\\u{2028}\\u{2029}',
  '\u200b\u200e\u200f\ufeff\u00ad': '\\u{200b}\\u{200e}\\u{200f}\\u{feff}\\u{ad}',
  '\u202agpj.exe\u202e\u2066\u2069': '\\u{202a}gpj.exe\\u{202e}\\u{2066}\\u{2069}',
  '\u061c\u180e\u2060\ufff9': '\\u{61c}\\u{180e}\\u{2060}\\u{fff9}',
  '\u{e0041}\u{e007f}': '\\u{e0041}\\u{e007f}',
  '\u034f\u115f\u3164\u2800\u{e0100}': '\\u{34f}\\u{115f}\\u{3164}\\u{2800}\\u{e0100}',
  '❤\ufe0f': '❤\ufe0f',
  'a\ud800b\udfff': 'a\\u{d800}b\\u{dfff}',
};

describe('visible', () => {
  for (const [text, shown] of Object.entries(SHOWN)) {
    test(JSON.stringify(text), () => assert.equal(escapeInvisible(text), shown));
  }

  test('nothing it returns is unseen', () => {
    const all = Array.from({ length: 0x11_0000 }, (_, point) => String.fromCodePoint(point)).join(
      '',
    );
    assert.equal(escapeInvisible(escapeInvisible(all)), escapeInvisible(all));
    assert.doesNotMatch(escapeInvisible(all), /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}]/u);
  });
});

describe('truncate', () => {
  test('text of the limit is whole', () => assert.equal(truncate('abc', 3), 'abc'));
  test('longer text is cut', () => assert.equal(truncate('abcd', 3), 'abc…'));
  test('no half of a character is left', () => assert.equal(truncate('ab😀d', 3), 'ab…'));
});

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
    test(JSON.stringify(text), () => assert.equal(escapeCommands(text), shown));
  }

  // The runner trims lines. It takes `::` at the start for a command, and `##[` anywhere.
  test('whatever it is made of, it is no command, and one line', () => {
    const pieces = [
      ...':: : ##[ # [ \\ error'.split(' '),
      ...' \n\r\t\u00a0\u2028\ufeff'.split(''),
    ];
    for (const one of pieces)
      for (const two of pieces)
        for (const three of pieces) {
          const line = escapeCommands(`${one}${two}${three}error::x`);
          assert.doesNotMatch(
            line,
            /[\r\n\u2028\u2029\u0085]|^\s*::|##\[/,
            JSON.stringify([one, two, three]),
          );
        }
  });
});

const QUOTED: Readonly<Record<string, string>> = {
  plain: '"plain"',
  'a "b"': '"a \\"b\\""',
  'a\nb\u0000': '"a\\nb\\u0000"',
  'C:\\app': '"C:\\app"',
  ['x'.repeat(100)]: `"${'x'.repeat(100)}"`,
  ['x'.repeat(101)]: `"${'x'.repeat(100)}…"`,
};

describe('a value in a message', () => {
  for (const [value, quoted] of Object.entries(QUOTED)) {
    test(`${JSON.stringify(value).slice(0, 40)} is quoted`, () =>
      assert.equal(quote(value), quoted));
  }
});
