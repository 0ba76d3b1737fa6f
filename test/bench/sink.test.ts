import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chunkedCoding, identityCoding, parseRequestHead } from '../../dev/bench/sink/http.ts';
import { multipartReader } from '../../dev/bench/sink/multipart.ts';

const FORM = Buffer.from(
  [
    '--cut',
    'Content-Disposition: form-data; name="file"; filename="a/b.txt"',
    '',
    'one\r\n--cu\r\n--cux is no end',
    '--cut',
    'Content-Disposition: form-data; name="file"; filename="empty"',
    '',
    '',
    '--cut',
    'Content-Disposition: form-data; name="other"',
    '',
    'no file',
    '--cut--',
    '',
  ].join('\r\n'),
);

const FILES = [
  { name: 'a/b.txt', bytes: 'one\r\n--cu\r\n--cux is no end'.length },
  { name: 'empty', bytes: 0 },
];

describe('the sink counts the files of a form', () => {
  for (const size of [1, 2, 3, 7, 50, FORM.length]) {
    test(`that comes in pieces of ${size} bytes, each overwritten by the next`, () => {
      const reader = multipartReader('cut');
      const buffer = Buffer.alloc(size);
      for (let at = 0; at < FORM.length; at += size) {
        const length = FORM.copy(buffer, 0, at, at + size);
        reader.push(buffer.subarray(0, length));
      }
      assert.deepEqual(reader.files(), FILES);
    });
  }
});

describe('the sink finds the end of a body', () => {
  const chunked = Buffer.from('4\r\nabcd\r\nA\r\n0123456789\r\n0\r\n\r\n');
  for (const size of [1, 2, 5, chunked.length]) {
    test(`that is chunked and comes in pieces of ${size} bytes`, () => {
      let content = '';
      const coding = chunkedCoding(piece => {
        content += piece.toString();
      });
      for (let at = 0; at < chunked.length; at += size) {
        assert.equal(coding.isAtEnd(), false);
        coding.take(chunked.subarray(at, at + size));
      }
      assert.equal(coding.isAtEnd(), true);
      assert.equal(content, 'abcd0123456789');
    });
  }

  test('and leaves what is behind it', () => {
    assert.equal(
      chunkedCoding(() => {}).take(Buffer.concat([chunked, Buffer.from('POST')])),
      chunked.length,
    );
    assert.equal(identityCoding(3, () => {}).take(Buffer.from('abcPOST')), 3);
  });

  test('that is empty at once', () => assert.equal(identityCoding(0, () => {}).isAtEnd(), true));
});

test('the sink reads what it needs of a head', () => {
  const form =
    'POST /files?username=u&path=a%2Fb HTTP/1.1\r\ncontent-type: multipart/form-data; boundary=cut\r\nContent-Length: 12';
  assert.deepEqual(parseRequestHead(form), {
    method: 'POST',
    path: '/files',
    target: 'a/b',
    length: 12,
    boundary: 'cut',
    expectsContinue: false,
  });
  const stream = 'POST /files HTTP/1.1\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue';
  const { length, target, boundary, expectsContinue } = parseRequestHead(stream);
  assert.deepEqual(
    [length, target, boundary, expectsContinue],
    [undefined, undefined, undefined, true],
  );
});
