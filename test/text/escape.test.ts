import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  escapeCommands,
  escapeInvisible,
  escapeOutput,
  quote,
  removeColors,
} from '../../src/text/escape.ts';
import { cutEnd } from '../../src/text/shorten.ts';

const ESCAPED: Readonly<Record<string, string>> = {
  'ünï, 日本, 😀, <b>&"\'`*_#[]|': 'ünï, 日本, 😀, <b>&"\'`*_#[]|',
  'a\r\n\tb': 'a\\r\\n\\tb',
  '\u0000\u0007\u001b[31m\u007f': '\\u{0}\\u{7}\\u{1b}[31m\\u{7f}',
  '❤\ufe0f 👩\u200d🚀 می\u200cروم': '❤\ufe0f 👩\u200d🚀 می\u200cروم',
  'a\ud800b\udfff': 'a\\u{d800}b\\u{dfff}',
};

test('escapeInvisible escapes control characters and halves of surrogate pairs, and nothing visible', () => {
  for (const [text, escaped] of Object.entries(ESCAPED))
    assert.equal(escapeInvisible(text), escaped);
});

const INVISIBLE =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

test('escapeInvisible escapes all invisible characters of Unicode, and halves of surrogate pairs', () => {
  const points = Array.from({ length: 0x11_0000 }, (_, point) => String.fromCodePoint(point));
  const escaped = escapeInvisible(points.join(''));
  assert.equal(escapeInvisible(escaped), escaped);
  // U+FE0F is not escaped, since it selects the colored form of an emoji.
  const rest = escaped.replace(/[\ufe0f\u200c\u200d]/g, '');
  assert.doesNotMatch(rest, INVISIBLE);
});

test('cutEnd cuts text above the limit, without half of a surrogate pair', () => {
  const texts = ['abc', 'abcd', 'ab😀d'].map(text => cutEnd(text, 3));
  assert.deepEqual(texts, ['abc', 'abc…', 'ab…']);
});

const LOG_LINES: Readonly<Record<string, string>> = {
  'std::vector ::error::b': 'std::vector ::error::b',
  '::error::x': '\\::error::x',
  'a ##[group]b ##[endgroup]': 'a ##\\[group]b ##\\[endgroup]',
  '##\u200b[error]x': '##\\u{200b}[error]x',
};

test('escapeCommands escapes a leading :: and every ##[, and nothing else that is visible', () => {
  for (const [text, escaped] of Object.entries(LOG_LINES))
    assert.equal(escapeCommands(text), escaped);
});

const OUTPUT: Readonly<Record<string, string>> = {
  '\u001b[31mred\u001b[0m \u001b[1;38:5:9mx\u001b[m':
    '\u001b[31mred\u001b[0m \u001b[1;38:5:9mx\u001b[m',
  '\u001b[2J\u001b[1A\u001b[?25l': '\\u{1b}[2J\\u{1b}[1A\\u{1b}[?25l',
  '\u001b]8;;http://x\u0007y\u001b]0;title\u001b\\':
    '\\u{1b}]8;;http://x\\u{7}y\\u{1b}]0;title\\u{1b}\\',
  '\u001b[31;\u001b31m\u009b31m': '\\u{1b}[31;\\u{1b}31m\\u{9b}31m',
  '\u0000\u0008\u007f\u202e\u2028\ud800': '\\u{0}\\u{8}\\u{7f}\\u{202e}\\u{2028}\\u{d800}',
  'a\rb\r\n': 'a\\rb\\r\n',
  '::error::x\nstd::vector\n::add-mask::y': '\\::error::x\nstd::vector\n\\::add-mask::y',
  'a\n \t ::error::x': 'a\n\\ \t ::error::x',
  '##[error]x\na ##[group]b ##[endgroup]': '##\\[error]x\na ##\\[group]b ##\\[endgroup]',
};

test('escapeOutput keeps lines and colors, and escapes commands and other control characters', () => {
  for (const [text, escaped] of Object.entries(OUTPUT)) assert.equal(escapeOutput(text), escaped);
});

// White space in JavaScript or in .NET, whose Trim() the runner uses.
const WHITE_SPACE = Array.from({ length: 0x1_0000 }, (_, point) =>
  String.fromCharCode(point),
).filter(character => /[\s\u0085\u180e\u200b\p{Zs}]/u.test(character));

// The runner trims lines, then treats `::` at the start and `##[` anywhere as commands.
test('no line begins with :: after any white space, or has ##[, once it is escaped', () => {
  assert.ok(WHITE_SPACE.length > 25);
  const spaces = WHITE_SPACE.flatMap(one => WHITE_SPACE.map(other => `${one}${other}`));
  for (const space of [...WHITE_SPACE, ...spaces])
    for (const escape of [escapeCommands, escapeOutput]) {
      const texts = [`a\n${space}::error::x ##[${space}`, `${space}::error::x`];
      const escaped = texts.map(escape).join('\n');
      assert.doesNotMatch(escaped, /##\[/);
      for (const line of escaped.split(/[\n\r\u0085\u2028\u2029]/))
        assert.doesNotMatch(line, /^[\s\u0085]*::/, JSON.stringify(space));
    }
});

test('removeColors removes colors, but no other escape sequences', () => {
  const text = '\u001b[1;31mred\u001b[0m\u001b[m \u001b[2J [31m';
  assert.equal(removeColors(text), 'red \u001b[2J [31m');
});

test('quote writes JSON, but cuts after 100 characters and keeps single backslashes', () => {
  const long = 'x'.repeat(100);
  const quoted = ['a "b"\n\u0000', 'C:\\app', long, `${long}x`].map(quote);
  assert.deepEqual(quoted, ['"a \\"b\\"\\n\\u0000"', '"C:\\app"', `"${long}"`, `"${long}…"`]);
});
