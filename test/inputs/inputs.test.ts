import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { field, type RawInputs } from '../../src/inputs/fields.ts';
import { parseFields, parseInputs, SECRET_INPUTS, showInputs } from '../../src/inputs/inputs.ts';
import { actionOf } from '../action/harness.ts';
import { each, parsed, problemOf, problemsOf, REQUIRED, refuses, TOKEN, takes } from './given.ts';

for (const task of ['sync', 'upload', 'stats', 'monitor', 'monitor-stop'] as const) {
  describe(`the action.yml of ${task}`, async () => {
    const { inputs } = await actionOf(task);

    test('says the defaults that the code has', () => {
      const defaults = inputs.map(({ name, default: value = '' }) => [name, value]);
      const filled: RawInputs = { ...Object.fromEntries(defaults), ...REQUIRED };
      assert.deepEqual(parseInputs(task, filled), parseInputs(task, REQUIRED));
    });

    test('says which inputs are required', () => {
      const required = inputs.filter(input => input.required).map(({ name }) => name);
      if (required.length === 0) return assert.doesNotThrow(() => parseInputs(task, {}));
      const message = required.map(name => `${name}: is (required|empty): .*`).join('\n');
      assert.throws(() => parseInputs(task, {}), { message: new RegExp(`^${message}$`) });
    });
  });
}

test('what is left empty has its default', () => {
  assert.deepEqual(parsed(), {
    sandboxId: 'i1a2b3c4d5',
    token: TOKEN,
    baseUrl: 'https://sandbox.example.com',
    files: { patterns: [{ pattern: 'dist/**' }], excludes: [] },
    allowInsecureHttp: false,
    port: 49_983,
    headerPrefix: 'Svc',
    statsPath: '/metrics',
    headers: {},
    timeout: 60_000,
    uploadPath: '/files',
    retries: 4,
    target: '',
    workingDirectory: '',
    username: '',
    signature: '',
    signatureExpiration: '',
    ifNoFilesFound: 'error',
    includeHiddenFiles: false,
    followSymlinks: true,
    stateFile: '',
    shard: undefined,
    concurrency: 'auto',
    filesPerRequest: 1,
    checksums: false,
    dryRun: false,
    failIf: [],
    warnIf: [],
    waitUntil: undefined,
    waitTimeout: 300_000,
    samples: 1,
    sampleInterval: 1000,
    summary: true,
  });
});

test('secret are token, signature and API key, and the debug log only says whether they are set', () => {
  assert.deepEqual(SECRET_INPUTS, ['token', 'signature', 'api-key']);
  const given = {
    shard: '2/4',
    headers: 'X-Key: s3cret',
    'fail-if': 'mem_used>1B',
    timeout: '90s',
    username: 'a "b"',
  };
  const shown = showInputs('sync', parsed({ signature: 's3cret', ...given })).join('\n');
  assert.doesNotMatch(shown, /s3cret|tok-3f9c1d/);
  for (const line of [
    'token: set',
    'signature: set',
    'shard: 2 of 4',
    'headers: X-Key',
    'target: empty',
    'username: "a \\\\"b\\\\""',
  ])
    assert.match(shown, new RegExp(`^${line}$`, 'm'));
  for (const line of [
    'fail-if: mem_used > 1B',
    'warn-if: empty',
    'timeout: 1 min 30 s',
    'dry-run: false',
  ])
    assert.match(shown, new RegExp(`^${line}$`, 'm'));
});

const NO_NUMBERS = '-1 +1 1.0 1e1 0x10 1,0 many NaN ٣'.split(' ');

describe('concurrency', () => {
  takes('concurrency', { '': 'auto', auto: 'auto', '1': 1, '100': 100 });
  const wrong = ['0', '101', 'many', '1.5', 'Auto', '-1'];
  refuses(
    'concurrency',
    each(wrong, '% is neither auto nor a whole number from 1 to 100.'),
    'auto',
  );
});

describe('files-per-request', () => {
  takes('files-per-request', { '': 1, '1': 1, '1000': 1000, '007': 7 });
  const wrong = ['0', '1001', '1 0', '9'.repeat(30), 'Auto', ...NO_NUMBERS];
  refuses(
    'files-per-request',
    each(wrong, '% is neither auto nor a whole number from 1 to 1000.'),
    'auto',
  );
});

describe('shard', () => {
  takes('shard', {
    '': undefined,
    '1/1': { index: 1, count: 1 },
    ' 256/256\n': { index: 256, count: 256 },
  });
  const wrong = ['5/4', '1/0', '1/257', '1/1000', '2', '2/', '/4', '2 / 4', '-1/4', '1.5/4'];
  const message = '% is not INDEX/COUNT with 1 ≤ INDEX ≤ COUNT ≤ 256.';
  refuses('shard', each(wrong, message), '2/4');
  const zero = `${message} The first is 1, but strategy.job-index begins with 0.`;
  refuses('shard', each(['0/4'], zero), '2/4');
});

describe('signature-expiration', () => {
  takes('signature-expiration', { '': '', '1767225600': '1767225600' });
  const wrong = ['tomorrow', '-1', '1.5', '1e9', '9'.repeat(20)];
  const message = '% is not a whole number: the Unix time in seconds.';
  refuses('signature-expiration', each(wrong, message), '1767225600');
});

describe('files that share requests cannot go with a signature', () => {
  takes('files-per-request', { '1': 1 }, { signature: 'abc' });
  takes('files-per-request', { '2': 2 }, { signature: ' ' });
  const message = '"2" cannot be combined with a signature, which fits a single target path.';
  refuses('files-per-request', { '2': message }, 'auto', { signature: 'abc' });
});

describe('files share requests by themselves where the headers are those of E2B', () => {
  for (const prefix of ['E2b', 'e2B', ' E2B '])
    takes('files-per-request', { '': 250, auto: 250, '1': 1 }, { 'header-prefix': prefix });
  for (const prefix of ['', 'Svc', 'E2b2'])
    takes('files-per-request', { '': 1, auto: 1 }, { 'header-prefix': prefix });
  takes('files-per-request', { '': 1, auto: 1 }, { 'header-prefix': 'E2b', signature: 'abc' });
});

const NUMBERS = {
  port: [1, 65_535, '49983'],
  retries: [0, 10, '4'],
  samples: [1, 1000, '1'],
} as const;

for (const [input, [min, max, fallback]] of Object.entries(NUMBERS)) {
  takes(input, { [min]: min, [max]: max, '007': 7, ' 4 ': 4 });
  const wrong = [String(min - 1), String(max + 1), '1 0', '9'.repeat(30), ...NO_NUMBERS];
  refuses(input, each(wrong, `% is not a whole number from ${min} to ${max}.`), fallback);
}

const TIMES = {
  timeout: [1, '60s'],
  'sample-interval': [200, '1s'],
  'wait-timeout': [1, '5m'],
} as const;
const NO_TIMES = '0s 60 s -1s 30S 1d 1m30s 24.001h 25h 1e3s ٣s soon'.split(' ');
for (const [input, [min, fallback]] of Object.entries(TIMES)) {
  takes(input, {
    [`${min}ms`]: min,
    '30s': 30_000,
    '1.5s': 1500,
    '0.25s': 250,
    '5m': 300_000,
    '24h': 86_400_000,
  });
  const message = `% is not a duration from ${min}ms to 24h: write a number with ms, s, m or h.`;
  refuses(input, each([`${min - 0.6}ms`, '1 s', ...NO_TIMES], message), fallback);
}

const SWITCHES = {
  'include-hidden-files': false,
  'follow-symlinks': true,
  'dry-run': false,
  summary: true,
};
const NO_SWITCHES = ['yes', 'no', 'on', '1', '0', 'tRUE', 'true false', 'null', 'a\nb'];
for (const [input, fallback] of Object.entries({ ...SWITCHES, 'allow-insecure-http': false })) {
  takes(input, {
    true: true,
    True: true,
    TRUE: true,
    ' false ': false,
    False: false,
    FALSE: false,
  });
  refuses(input, each(NO_SWITCHES, '% is neither true nor false.'), String(fallback));
}

takes('if-no-files-found', { error: 'error', warn: 'warn', ignore: 'ignore' });
const noChoices = ['fail', 'Warn', 'error,warn', 'constructor'];
refuses('if-no-files-found', each(noChoices, '% is not one of error, warn, ignore.'), 'error');
for (const input of ['working-directory', 'username', 'signature', 'state-file'])
  takes(input, { ' a b ': 'a b' });

describe('state-file is a path that the action can use as it is', () => {
  takes('state-file', { 'a/~/b$': 'a/~/b$', '../x.json': '../x.json', 'C:\\x.json': 'C:\\x.json' });
  const unexpanded = { '~/.s.json': '~', '~bob/x': '~bob', '$HOME/x': '$HOME', '${{ x }}': '${' };
  for (const [value, variable] of Object.entries(unexpanded)) {
    const message = `"${value}": ${variable} is not expanded. Write the path; a relative one is below the workspace.`;
    refuses('state-file', { [value]: message }, 'cache/state.json');
  }
  const invisible = { 'a\nb': '\\n', 'a\u200bb': '\\u{200b}' };
  for (const [value, character] of Object.entries(invisible)) {
    const message = `${JSON.stringify(value)} has the invisible character ${character}.`;
    refuses('state-file', { [value]: message }, 'cache/state.json');
  }
});

describe('a list of conditions', () => {
  const LISTS = ['fail-if', 'warn-if', 'wait-until'] as const;

  test('has one a line, with blank lines and comments between, each list its own', () => {
    const value = '\n# peak\r\n  mem_used_pct>90  \r\n\n   # room\n\tdisk_free < 512 MiB\n';
    const { failIf, warnIf, waitUntil } = parsed({
      'fail-if': value,
      'warn-if': 'mem_used > 2B',
      'wait-until': '# none\n#none',
    });
    const texts = [failIf, warnIf, waitUntil].map(list => list?.map(({ text }) => text));
    assert.deepEqual(texts, [
      ['mem_used_pct > 90', 'disk_free < 512MiB'],
      ['mem_used > 2B'],
      undefined,
    ]);
    assert.deepEqual(parsed({ 'wait-until': ' ready\r\n' }).waitUntil, []);
  });

  test('may have comments that say anything', () => {
    const { failIf, waitUntil } = parsed({
      'fail-if': '# at most 1,000 MiB\nmem_used > 1000MiB',
      'wait-until': '# wait until the sandbox is ready\nready',
    });
    assert.deepEqual([failIf.length, waitUntil], [1, []]);
  });

  for (const name of LISTS) {
    const where = 'line 3, "mem_usd > 90", at character 1:';
    const message = `${where} there is no metric mem_usd; did you mean mem_used?`;
    const example = name === 'wait-until' ? 'cpu_used_pct < 50' : 'mem_used_pct > 90';
    refuses(name, { 'cpu_count > 1\n\n  mem_usd > 90': message }, example);
  }

  test('with several lines that are wrong is reported with all of them, of every input', () => {
    const problems = problemsOf({
      'fail-if': 'mem_used > 5 gib\nmem_used > 1B\ncpu_used_pct >',
      'warn-if': 'mem_used.avg > 1B',
      'wait-until': 'mem_used ~ 1',
    });
    const places = problems.map(({ input, message }) => [
      input,
      ...(/^line (\d), ".*", at character (\d+): /.exec(message)?.slice(1) ?? []),
    ]);
    const failIf = [
      ['fail-if', '1', '14'],
      ['fail-if', '3', '15'],
    ];
    assert.deepEqual(places, [...failIf, ['warn-if', '1', '9'], ['wait-until', '1', '10']]);
    assert.match(problems[0]?.message ?? '', /did you mean GiB\?/);
  });
});

/** An invalid value for each input that can be invalid. */
const WRONG: RawInputs = {
  'sandbox-id': '',
  token: 'tok-s3cret\u0000',
  'base-url': 'https://u:s3cret@example.com',
  files: '!a',
  target: '..',
  headers: 'Authorization s3cret',
  port: '0',
  concurrency: '0',
  retries: '11',
  shard: '0',
  samples: '0',
  'signature-expiration': 'tomorrow',
  'if-no-files-found': 'fail',
  'include-hidden-files': 'yes',
  'allow-insecure-http': 'on',
  timeout: 'soon',
  'upload-path': 'files',
  'header-prefix': 'a b',
  'fail-if': 'x',
};

test('all that is wrong is reported together, and no secret', () => {
  const problems = problemsOf(WRONG);
  assert.deepEqual(problems.map(({ input }) => input).sort(), Object.keys(WRONG).sort());
  assert.doesNotMatch(JSON.stringify(problems), /s3cret/);
});

test('a bug in a parser is no problem of the user and passes through', () => {
  const bug = field((): string => {
    throw new TypeError('a bug');
  });
  const wrong = field((_value, refuse) => refuse('is wrong.', '1'));
  assert.throws(() => parseFields({ one: wrong, two: bug }, {}), new TypeError('a bug'));
});

for (const [input, value = ''] of Object.entries(WRONG)) {
  test(`the example for ${input} is YAML and accepted`, () => {
    const example = problemOf({ [input]: value }).example ?? '';
    // The runner evaluates expressions.
    const fixed: Record<string, unknown> = parse(example.replace(/\$\{\{.*\}\}/, 'value'));
    assert.deepEqual(problemsOf({ [input]: String(fixed[input]) }), []);
  });
}
