import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { readActionFile } from '../../dev/runner/action-file.ts';
import { ACTIONS } from '../../src/inputs/actions.ts';
import { parseAll } from '../../src/inputs/input-error.ts';
import { parseInputs, secretsIn } from '../../src/inputs/inputs.ts';
import type { RawInputs } from '../../src/inputs/parsers.ts';
import { each, parsed, problemsOf, REQUIRED, refuses, SERVICE, takes } from './given.ts';

const ENTRIES = ['sync', 'upload', 'stats', 'monitor', 'monitor-stop', 'sandbox'] as const;

for (const entry of ENTRIES) {
  describe(`the action.yml of ${entry}`, async () => {
    const { inputs } = await readActionFile(
      path.join(import.meta.dirname, '../..', ACTIONS[entry].folder),
    );
    const given = entry === 'sandbox' ? SERVICE : REQUIRED;

    test('says the defaults that the code has', () => {
      const defaults = inputs.map(({ name, default: value = '' }) => [name, value]);
      const filled: RawInputs = { ...Object.fromEntries(defaults), ...given };
      assert.deepEqual(parseInputs(entry, filled), parseInputs(entry, given));
    });

    test('says which inputs are required, although another step may have connected', () => {
      const connected = entry === 'sandbox' ? {} : { ...REQUIRED, files: '' };
      const required = inputs.filter(input => input.required).map(({ name }) => name);
      if (required.length === 0) return assert.doesNotThrow(() => parseInputs(entry, connected));
      const message = required.map(name => `${name}: is (required|empty).*`).join('\n');
      assert.throws(() => parseInputs(entry, connected), { message: new RegExp(`^${message}$`) });
    });
  });
}

const NO_NUMBERS = '-1 1.0 1e1 0x10 1,0 many ٣'.split(' ');

describe('whole numbers', () => {
  const ranges = { port: [1, 65_535], retries: [0, 10], samples: [1, 1000] } as const;
  for (const [input, [min, max]] of Object.entries(ranges)) {
    takes(input, { [min]: min, [max]: max, '007': 7, ' 4 ': 4 });
    const wrong = [String(min - 1), String(max + 1), ...NO_NUMBERS];
    refuses(input, each(wrong, `% is not a whole number from ${min} to ${max}.`));
  }
});

describe('concurrency', () => {
  takes('concurrency', { '': 24, auto: 24, '1': 1, '100': 100 });
  refuses('concurrency', each(['0', '101', 'Auto', ...NO_NUMBERS], '% is neither auto nor'));
});

describe('files-per-request', () => {
  takes('files-per-request', { '1': 1, '1000': 1000 });
  refuses('files-per-request', each(['0', '1001', ...NO_NUMBERS], '% is neither auto nor'));
  for (const prefix of ['E2b', 'e2B', ' E2B '])
    takes('files-per-request', { auto: 250, '1': 1 }, { given: { 'header-prefix': prefix } });
  takes('files-per-request', { auto: 1 }, { given: { 'header-prefix': 'E2b2' } });
  const signed = { given: { 'header-prefix': 'E2b', signature: 'abc' } };
  takes('files-per-request', { auto: 1, '1': 1 }, signed);
  refuses('files-per-request', { '2': 'cannot be combined with a signature' }, signed);
});

describe('shard', () => {
  takes('shard', { '1/1': { index: 1, count: 1 }, ' 256/256\n': { index: 256, count: 256 } });
  const wrong = ['5/4', '1/0', '1/257', '2', '2/', '/4', '2 / 4', '-1/4', '1.5/4', '0/4'];
  refuses('shard', each(wrong, '% is not INDEX/COUNT'));
});

describe('durations', () => {
  const mins = { timeout: 1, 'sample-interval': 200, 'wait-timeout': 1 };
  for (const [input, min] of Object.entries(mins)) {
    takes(input, { [`${min}ms`]: min, '1.5s': 1500, '5m': 300_000, '24h': 86_400_000 });
    const wrong = [`${min - 0.6}ms`, '0s', '60', '1 s', '-1s', '30S', '1d', '1m30s', '24.001h'];
    refuses(input, each(wrong, `% is not a duration from ${min}ms to 24h`));
  }
});

describe('switches', () => {
  for (const input of ['dry-run', 'summary', 'follow-symlinks', 'allow-insecure-http']) {
    takes(input, { true: true, True: true, TRUE: true, ' false ': false, FALSE: false });
    refuses(input, each(['yes', 'on', '1', 'tRUE', 'null'], '% is neither true nor false.'));
  }
  takes('delete', { true: true, false: false }, { entry: 'sandbox' });
});

describe('words and texts', () => {
  takes('if-no-files-found', { error: 'error', warn: 'warn', ignore: 'ignore' });
  refuses('if-no-files-found', each(['fail', 'Warn', 'constructor'], '% is not one of error,'));
  const texts = ['working-directory', 'username', 'signature', 'signature-expiration'];
  for (const input of [...texts, 'state-file']) takes(input, { ' a b ': 'a b' });
});

describe('lists of conditions', () => {
  test('have one a line, with empty lines and comments between', () => {
    const value = '\n# at most 1,000 MiB\r\n  mem_used_pct>90  \r\n\n\tdisk_free < 512 MiB\n';
    const { failIf, warnIf, waitUntil } = parsed({
      'fail-if': value,
      'warn-if': 'load > 2',
      'wait-until': '# none',
    });
    const texts = [failIf, warnIf, waitUntil].map(list => list?.map(({ text }) => text));
    const expected = [['mem_used_pct > 90', 'disk_free < 512MiB'], ['load > 2'], undefined];
    assert.deepEqual(texts, expected);
  });

  takes('wait-until', { ready: [], ' Ready\r\n': [] });

  const place = 'line 3: "mem_used >": nothing follows >: is an expression empty?.';
  for (const input of ['fail-if', 'warn-if', 'wait-until'])
    refuses(input, { 'cpu_count > 1\n\n  mem_used >': place });
});

describe('metadata and env', () => {
  for (const input of ['metadata', 'env']) {
    takes(input, { 'A=1\n\n# c\n B=x=y \na=': { A: '1', B: 'x=y', a: '' } }, { entry: 'sandbox' });
    const words = 'line 1: this is not of the form KEY=value.';
    refuses(input, each(['A', '=1', 'A B=1'], words), { entry: 'sandbox' });
  }

  test('do not repeat values, which may be secret', () => {
    assert.doesNotMatch(JSON.stringify(problemsOf({ env: 'A B=s3cret' }, 'sandbox')), /s3cret/);
  });
});

test('tokens, signatures, API keys and secret headers are masked, but no values of env', () => {
  const headers = 'Authorization: Basic dXNlcjpwYXNz\nX-Cache-Key: production';
  const env = 'A=short\nB=a long value';
  const raw = { 'api-key': ' key ', token: 'null', signature: 'signed', headers, env };
  const credentials = ['Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'];
  assert.deepEqual(secretsIn(raw), ['signed', 'key', ...credentials]);
});

test('all wrong lines of an input are reported', () => {
  const problems = problemsOf({ 'fail-if': 'mem_used > 5 x\nload > 1\ncpu_used_pct >' });
  assert.deepEqual(
    problems.map(({ message }) => message.slice(0, 6)),
    ['line 1', 'line 3'],
  );
});

test('a bug in a parser is no problem of the user and passes through', () => {
  const bug = () => {
    throw new TypeError('a bug');
  };
  assert.throws(() => parseAll(['value'], bug), new TypeError('a bug'));
});
