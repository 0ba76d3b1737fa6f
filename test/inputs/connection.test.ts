import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parsed, problemOf, TOKEN } from './given.ts';

const NOT_LATIN = 'it has a line break or another character outside Latin-1.';

describe('sandbox-id', () => {
  for (const id of ['abc', 'a--b_c', 'a.b/c', 'x y', 'é', '"']) {
    test(`${JSON.stringify(id)} goes into the header`, () => {
      const { sandboxId, headers } = parsed({ 'sandbox-id': ` ${id} ` }).connection;
      assert.equal(sandboxId, id);
      assert.equal(headers['Svc-Sandbox-Id'], id);
    });
  }
  for (const id of ['', ' \n']) {
    test(`${JSON.stringify(id)} is missing`, () => {
      assert.deepEqual(problemOf({ 'sandbox-id': id }), {
        input: 'sandbox-id',
        message: 'is required: the sandbox to reach.',
        example: 'sandbox-id: i1a2b3c4d5',
      });
    });
  }
  for (const id of ['a\nb', 'a\u0001', '日本', 'a\u007f']) {
    test(`${JSON.stringify(id)} cannot be a header's value`, () => {
      assert.deepEqual(problemOf({ 'sandbox-id': id }), {
        input: 'sandbox-id',
        message: `${JSON.stringify(id)} cannot be sent in a header: ${NOT_LATIN}`,
        example: 'sandbox-id: i1a2b3c4d5',
      });
    });
  }
});

describe('token', () => {
  test('it goes into the header and is a secret', () => {
    const { headers, secrets } = parsed().connection;
    assert.equal(headers['X-Access-Token'], TOKEN);
    assert.deepEqual(secrets, [TOKEN]);
  });

  test('it is required', () => {
    assert.deepEqual(problemOf({ token: ' ' }), {
      input: 'token',
      message: 'is required: the sandbox access token.',
      example: 'token: ${{ steps.sandbox.outputs.token }}',
    });
  });

  test('one that cannot be sent is not repeated', () => {
    const { input, message } = problemOf({ token: 'first\nsecond' });
    assert.equal(input, 'token');
    assert.equal(message, `the value given cannot be sent in a header: ${NOT_LATIN}`);
  });

  test('the signature is a secret as well', () => {
    assert.deepEqual(parsed({ signature: 'v1_abc' }).connection.secrets, [TOKEN, 'v1_abc']);
  });
});

test('what is left empty has its default', () => {
  const { uploadPath, statsPath, retries, timeoutMs, headers } = parsed().connection;
  assert.deepEqual(
    { uploadPath, statsPath, retries, timeoutMs },
    {
      uploadPath: '/files',
      statsPath: '/metrics',
      retries: 4,
      timeoutMs: 60_000,
    },
  );
  assert.equal(headers['Svc-Sandbox-Port'], '49983');
});

const NUMBERS: readonly (readonly [string, number, number, string])[] = [
  ['port', 1, 65_535, '49983'],
  ['retries', 0, 10, '4'],
  ['files-per-request', 1, 1000, '1'],
];

for (const [input, min, max, fallback] of NUMBERS) {
  describe(input, () => {
    for (const value of [min, max]) {
      test(`${value} is accepted`, () => assert.ok(parsed({ [input]: String(value) })));
    }
    for (const value of [String(min - 1), String(max + 1), 'many', '1.5']) {
      test(`${value} is refused`, () => {
        assert.deepEqual(problemOf({ [input]: value }), {
          input,
          message: `"${value}" is not a whole number from ${min} to ${max}.`,
          example: `${input}: ${fallback}`,
        });
      });
    }
  });
}

test('the numbers given are used', () => {
  const { connection, upload } = parsed({ port: '80', retries: '0', timeout: '500ms', concurrency: '7' });
  assert.equal(connection.headers['Svc-Sandbox-Port'], '80');
  assert.equal(connection.retries, 0);
  assert.equal(connection.timeoutMs, 500);
  assert.equal(upload.concurrency, 7);
});

describe('concurrency', () => {
  for (const [value, expected] of [
    ['', 'auto'],
    ['auto', 'auto'],
    ['1', 1],
    ['100', 100],
  ] as const) {
    test(`${JSON.stringify(value)} is ${expected}`, () => {
      assert.equal(parsed({ concurrency: value }).upload.concurrency, expected);
    });
  }
  for (const value of ['0', '101', 'many', '1.5', 'Auto', '-1']) {
    test(`${value} is refused`, () => {
      assert.deepEqual(problemOf({ concurrency: value }), {
        input: 'concurrency',
        message: `"${value}" is neither auto nor a whole number from 1 to 100.`,
        example: 'concurrency: auto',
      });
    });
  }
});

test('files that share requests cannot go with a signature', () => {
  assert.equal(parsed({ signature: 'abc', 'files-per-request': '1' }).upload.filesPerRequest, 1);
  assert.deepEqual(problemOf({ signature: 'abc', 'files-per-request': '2' }), {
    input: 'files-per-request',
    message: '"2" cannot go with a signature, which fits a single target path.',
    example: 'files-per-request: 1',
  });
});

test('a timeout without a unit is refused', () => {
  assert.deepEqual(problemOf({ timeout: '60' }), {
    input: 'timeout',
    message: '"60" is not a length of time from 1ms to 24h: a number and ms, s, m or h.',
    example: 'timeout: 60s',
  });
});
