import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Answer, parseRetryAfter, statusFailure } from '../../src/agent/answer.ts';
import { type AgentError, isFatal } from '../../src/agent/failure.ts';
import { wordsOf } from '../../src/agent/words.ts';
import { redactor } from '../../src/text/redact.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const LABEL = 'POST https://sandbox.example.com/files';

/** Redacts nothing. */
const asIs = (text: string) => text;

const ANSWER: Answer = {
  label: LABEL,
  status: 200,
  text: '',
  retryAfter: undefined,
  location: undefined,
  isEarly: false,
};

/** The failure for an answer with a status. */
function failureOf(status: number, text = '', more: Partial<Answer> = {}): AgentError {
  return statusFailure({ ...ANSWER, status, text, ...more }, asIs, NOW);
}

const STATUSES: Readonly<Record<string, readonly number[]>> = {
  redirected: [300, 302, 307, 308],
  rejected: [400, 422, 499],
  unauthorized: [401],
  forbidden: [403],
  'not-found': [404, 405],
  'sandbox-not-found': [410],
  'too-large': [413],
  busy: [408, 409, 425, 429],
  server: [500, 502, 503, 504],
  'disk-full': [507],
};

test('a request that was not routed is the last, whatever words say so', () => {
  for (const words of [
    'missing required header',
    'No sandbox id given',
    'required: sandbox-port',
    'Invalid sandbox ID',
  ]) {
    const error = failureOf(400, words);
    assert.deepEqual([error.kind, isFatal(error)], ['not-routed', true]);
  }
});

describe('the statuses', () => {
  for (const [kind, statuses] of Object.entries(STATUSES)) {
    test(`${statuses.join(', ')} are ${kind}`, () => {
      for (const status of statuses) {
        const error = failureOf(status, '{"code":1,"message":"words"}');
        assert.deepEqual([error.kind, error.status], [kind, status]);
        assert.match(error.hint, /^[A-Z].*\.$/);
        assert.match(
          error.message,
          new RegExp(`^${LABEL} answered ${status}[ a-zA-Z]*\\. It said: "words"\\.$`),
        );
      }
    });
  }

  test('those that are tried again, and those that end everything, are exactly these', () => {
    const all = Array.from({ length: 300 }, (_, index) => 300 + index);
    const retried = all.filter(status => failureOf(status).isRetryable);
    const fatal = all.filter(status => isFatal(failureOf(status)));
    assert.deepEqual(retried, [408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524]);
    assert.deepEqual(fatal, [401, 403, 410, 507]);
  });

  test('have a message without words too', () => {
    assert.equal(failureOf(500).message, `${LABEL} answered 500 Internal Server Error.`);
    assert.equal(failureOf(499).message, `${LABEL} answered 499.`);
  });
});

const NOT_FOUND = [
  '{"sandboxId":"i1","message":"The sandbox was not found","code":502}',
  'sandbox not found: i1',
  'Sandbox "i1" was not found.',
  '<html><body>The sandbox <b>i1</b> was not found</body></html>',
  'The sandbox\ni1 does not exist',
  'sandbox i1 not found',
  'Sandbox id i1 was not found',
  'sandbox default--my_sandbox not found',
  "sandbox 'name' could not be found",
  '{"error":{"message":"sandbox \\"name\\" is not found"}}',
  "sandbox i1 doesn't exist",
];
const SOMETHING_ELSE = [
  'sandbox agent: route not found',
  'sandbox agent not found',
  'sandbox route not found',
  'The sandbox i1 has no such route: page not found',
  'sandbox: the file /home/user/i1 does not exist',
  'The sandbox is running but port is not open',
  '{"message":"page not found"}',
  '404 page not found',
  '<html>502 Bad Gateway</html>',
  '',
];

describe('a sandbox that was not found', () => {
  for (const text of NOT_FOUND) {
    test(`is what is meant by ${JSON.stringify(text)}, which ends everything at once`, () => {
      for (const error of [502, 404].map(status => failureOf(status, text))) {
        assert.deepEqual([error.kind, isFatal(error)], ['sandbox-not-found', true]);
        assert.equal(error.isRetryable, false);
        assert.match(error.hint, /sandbox-id/);
      }
    });
  }

  for (const text of SOMETHING_ELSE) {
    test(`is not what is meant by ${JSON.stringify(text)}`, () => {
      assert.deepEqual(
        [failureOf(502, text).kind, failureOf(404, text).kind],
        ['server', 'not-found'],
      );
    });
  }

  test('is not what other statuses say', () => {
    assert.equal(failureOf(500, 'The sandbox was not found').kind, 'server');
    assert.equal(failureOf(400, 'The sandbox was not found').kind, 'rejected');
  });
});

describe('secrets in an answer are taken out', () => {
  const long = 'abc'.repeat(200);
  const cases: Readonly<Record<string, readonly [secret: string, text: string]>> = {
    'in JSON': ['s3cr"et', JSON.stringify({ message: 'the token s3cr"et is wrong' })],
    'where they are longer than what is shown': [long, `x ${long}`],
    'where they lie across the end of what is searched': [long, `${'<p>'.repeat(5400)}${long}`],
  };
  for (const [name, [secret, text]] of Object.entries(cases)) {
    test(name, () => {
      const { message } = statusFailure({ ...ANSWER, status: 401, text }, redactor([secret]), NOW);
      assert.ok(!message.includes(secret.slice(0, 3)), message);
    });
  }
});

const RETRY_AFTER: Readonly<Record<string, number | undefined>> = {
  ...Object.fromEntries(['', '0', '-5', '1.5', '1e1', 'soon'].map(value => [value, undefined])),
  '1': 1000,
  ' 30 ': 30_000,
  '60': 60_000,
  '61': 60_000,
  ['9'.repeat(24)]: 60_000,
  'Fri, 20 Nov 2026 10:00:05 GMT': 5000,
  'Fri, 20 Nov 2026 10:01:00 GMT': 60_000,
  'Fri, 31 Dec 9999 23:59:59 GMT': 60_000,
  'Fri, 20 Nov 2026 10:00:00 GMT': undefined,
  'Thu, 01 Jan 1970 00:00:00 GMT': undefined,
};

describe('where a redirect leads is in the message', () => {
  const cases: Readonly<Record<string, readonly [location: string | undefined, says: string]>> = {
    'without its query': ['https://other.test/a?signature=x', ', which leads to other.test/a'],
    'on the same host': ['/login', ', which leads to /login'],
    'if there is a location': [undefined, ''],
    'if it can be read': ['http://[', ''],
    'without secrets': ['https://s3cret.test/', ', which leads to ***.test/'],
  };
  for (const [name, [location, says]] of Object.entries(cases)) {
    test(name, () => {
      const answer = { ...ANSWER, status: 302, location };
      const { message } = statusFailure(answer, redactor(['s3cret']), NOW);
      assert.equal(message, `${LABEL} answered 302 Found${says}.`);
    });
  }
});

describe('Retry-After', () => {
  for (const [value, expected] of Object.entries(RETRY_AFTER)) {
    test(`${JSON.stringify(value)} is ${expected} ms`, () => {
      assert.equal(parseRetryAfter(value, NOW), expected);
    });
  }

  test('is in the failure', () => {
    assert.equal(parseRetryAfter(undefined, NOW), undefined);
    assert.equal(failureOf(429, '', { retryAfter: '7' }).retryAfterMs, 7000);
    assert.equal(failureOf(429).retryAfterMs, undefined);
  });
});

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
  '<html><head><title>502 Bad Gateway</title></head><body><h1>502</h1></body></html>':
    '502 Bad Gateway 502',
  '<style>p { color: red }</style>words<script>run()</script>': 'words',
  '<STYLE a="b">\np {}\n</STYLE>words<Script>never closed': 'words',
  '<styled>words</styled>': 'words',
};

describe('the words of a body', () => {
  for (const [text, words] of Object.entries(WORDS)) {
    test(JSON.stringify(text), () => assert.equal(wordsOf(text, asIs), words));
  }

  const long = 'x'.repeat(5000);
  for (const text of [long, JSON.stringify({ message: long }), `<p>${long}</p>`]) {
    test(`are cut to 300 characters: ${text.slice(0, 12)}`, () => {
      assert.equal(wordsOf(text, asIs), `${'x'.repeat(300)}…`);
      assert.equal(wordsOf(text.replace(long, 'x'.repeat(300)), asIs), 'x'.repeat(300));
    });
  }

  test('no half of a character is left at the cut', () => {
    const words = wordsOf(`${'x'.repeat(299)}${'😀'.repeat(5)}`, asIs);
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
      const [small = 0, large = 0] = fastest(calls.map(text => () => wordsOf(text, asIs)));
      // Four times the length takes 4 times as long if linear, 16 times if quadratic. Below the
      // floor, differences are only a busy machine.
      const floor = 25;
      assert.ok(large <= 10 * Math.max(small, floor), `${small} ms became ${large} ms`);
    });
  }
});

/**
 * Milliseconds of each call's fastest run. Calls take turns, so that a busy machine hits all alike.
 */
function fastest(calls: readonly (() => unknown)[]): number[] {
  const runs = Array.from({ length: 5 }, () => calls.map(timed));
  return calls.map((_, index) => Math.min(...runs.map(times => times[index] ?? 0)));
}

function timed(call: () => unknown): number {
  const start = performance.now();
  call();
  return performance.now() - start;
}

test('"permission denied" is about the token in a 401 or 403, and about the file in a 400', () => {
  const hintOf = (status: number) => failureOf(status, '{"message":"Permission denied"}').hint;
  assert.equal(hintOf(401), failureOf(401).hint);
  assert.equal(hintOf(403), failureOf(403).hint);
  assert.match(hintOf(400), /^Set username/);
});
