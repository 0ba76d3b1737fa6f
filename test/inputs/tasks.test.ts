import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import type { RawInputs } from '../../src/inputs/parse.ts';
import { INPUT_NAMES, parseSync } from '../../src/inputs/tasks.ts';
import { parsed, problemOf, problemsOf, REQUIRED } from './given.ts';

interface Declared {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly default?: string }>>;
}

const { inputs }: Declared = parse(readFileSync(new URL('../../action.yml', import.meta.url), 'utf8'));

test('the inputs are those that action.yml declares', () => {
  assert.deepEqual([...INPUT_NAMES.sync].sort(), Object.keys(inputs).sort());
});

test('the defaults of action.yml are those of the code', () => {
  const defaults = Object.entries(inputs).map(([name, { default: value = '' }]) => [name, value]);
  const filled: RawInputs = { ...Object.fromEntries(defaults), ...REQUIRED };
  assert.deepEqual(parseSync(filled), parsed());
});

test('the inputs that action.yml calls required are', () => {
  const required = Object.keys(inputs).filter(name => inputs[name]?.required);
  const found = problemsOf(Object.fromEntries(required.map(name => [name, ''])));
  assert.deepEqual(found.map(problem => problem.input).sort(), required.sort());
  for (const { message } of found) assert.match(message, /^is required: /);
});

test('what is left empty has its default', () => {
  assert.deepEqual(parsed().upload, {
    rules: { patterns: [{ pattern: 'dist/**' }], excludes: [] },
    target: '',
    workingDirectory: '',
    ifNoFilesFound: 'error',
    includeHidden: false,
    followSymlinks: true,
    concurrency: 'auto',
    filesPerRequest: 1,
    query: {},
    stateFile: '',
    shard: undefined,
    dryRun: false,
  });
});

test('what is given is used', () => {
  const { upload } = parsed({
    target: 'app',
    'working-directory': ' packages/a ',
    username: 'root',
    signature: 'v1_abc',
    'signature-expiration': '1767225600',
    'if-no-files-found': 'warn',
    'include-hidden-files': 'true',
    'follow-symlinks': 'false',
    'dry-run': 'True',
  });
  assert.equal(upload.target, 'app');
  assert.equal(upload.workingDirectory, 'packages/a');
  assert.deepEqual(upload.query, {
    username: 'root',
    signature: 'v1_abc',
    signature_expiration: '1767225600',
  });
  assert.equal(upload.ifNoFilesFound, 'warn');
  assert.equal(upload.includeHidden, true);
  assert.equal(upload.followSymlinks, false);
  assert.equal(upload.dryRun, true);
});

test('query parameters that are empty are left out', () => {
  assert.deepEqual(parsed({ username: ' ', signature: 'x' }).upload.query, { signature: 'x' });
});

const REFUSED: Readonly<Record<string, readonly [string, string, string]>> = {
  'signature-expiration': ['tomorrow', '"tomorrow" is not a whole number.', '1767225600'],
  'if-no-files-found': ['fail', '"fail" is not one of error, warn, ignore.', 'error'],
  'include-hidden-files': ['yes', '"yes" is neither true nor false.', 'false'],
  'follow-symlinks': ['0', '"0" is neither true nor false.', 'true'],
  'dry-run': ['maybe', '"maybe" is neither true nor false.', 'false'],
  'allow-insecure-http': ['on', '"on" is neither true nor false.', 'false'],
  summary: ['none', '"none" is neither true nor false.', 'true'],
  timeout: ['soon', '"soon" is not a length of time from 1ms to 24h: a number and ms, s, m or h.', '60s'],
  'upload-path': ['files', '"files" is not a plain URL path that begins with a slash.', '/files'],
  'header-prefix': ['a b', '"a b" cannot be part of a header\'s name.', 'E2b'],
};

describe('refused', () => {
  for (const [input, [value, message, example]] of Object.entries(REFUSED)) {
    test(`${input}: ${value}`, () => {
      assert.deepEqual(problemOf({ [input]: value }), { input, message, example: `${input}: ${example}` });
    });

    test(`${input}: the example is accepted`, () => {
      const fixed: Record<string, unknown> = parse(problemOf({ [input]: value }).example ?? '');
      assert.deepEqual(problemsOf({ [input]: String(fixed[input]) }), []);
    });
  }

  for (const value of ['-1', '1.5', '1e9', '9'.repeat(20)]) {
    test(`signature-expiration: ${value}`, () => {
      assert.equal(problemOf({ 'signature-expiration': value }).input, 'signature-expiration');
    });
  }
});

test('all that is wrong is reported together, and no secret', () => {
  const wrong = Object.entries(REFUSED).map(([name, [value]]) => [name, value]);
  const given: RawInputs = {
    ...Object.fromEntries(wrong),
    'sandbox-id': '',
    token: 'tok-s3cret\u0000',
    'base-url': 'https://u:s3cret@example.com',
    files: '!a',
    target: '..',
    headers: 'Authorization s3cret',
    port: '0',
    concurrency: '0',
    retries: '11',
  };
  const problems = problemsOf(given);
  assert.deepEqual(problems.map(({ input }) => input).sort(), Object.keys(given).sort());
  assert.doesNotMatch(JSON.stringify(problems), /s3cret/);
});
