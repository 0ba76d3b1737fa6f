import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tryAll } from '../../src/inputs/input-error.ts';
import { INPUTS } from '../../src/inputs/inputs.ts';
import type { InputParser } from '../../src/inputs/parsers.ts';
import { parse } from '../support/parse-condition.ts';
import { accepts, problemsOf, rejects, sameMessage } from '../support/parse-inputs.ts';

type Row = readonly [rejected: string, words: string];

const FLAG: Row = ['x', 'is neither true nor false.'];
const CONDITIONS: Row = ['x', 'is not of the form METRIC OPERATOR NUMBER'];
const URL_PATH: Row = ['x', 'is not a plain URL path'];
const WEB_URL: Row = ['x', 'is not a URL'];
const KEY_VALUES: Row = ['x', 'is not of the form KEY=value'];
const wholeNumber = (range: string): Row => ['x', `is not a whole number from ${range}.`];
const duration = (min: string): Row => ['x', `is not a duration from ${min} to 24h`];

/** By input: a value that its parser rejects. The inputs without a row take any text. */
const PARSERS: Readonly<Record<string, Row>> = {
  'allow-insecure-http': FLAG,
  'api-key': ['null', 'is empty or null.'],
  'api-url': WEB_URL,
  'base-url': WEB_URL,
  checksums: FLAG,
  concurrency: wholeNumber('1 to 100'),
  'create-options': ['x', 'is not a JSON object.'],
  delete: FLAG,
  'dry-run': FLAG,
  env: KEY_VALUES,
  'fail-if': CONDITIONS,
  files: ['a => b => c', 'is not of the form'],
  'files-per-request': wholeNumber('1 to 1000'),
  'follow-symlinks': FLAG,
  'header-prefix': ['a b', "cannot be part of a header's name."],
  headers: ['x', 'is not of the form Name: value.'],
  'if-no-files-found': ['x', 'is not one of error, warn, ignore.'],
  'include-hidden-files': FLAG,
  lifetime: duration('1s'),
  'max-duration': duration('1s'),
  'max-size': ['x', 'is not a size'],
  metadata: KEY_VALUES,
  port: wholeNumber('1 to 65535'),
  retries: wholeNumber('0 to 10'),
  run: ['', 'is required'],
  'sample-interval': duration('200ms'),
  samples: wholeNumber('1 to 1000'),
  'sandbox-id': ['a b', 'is not an ID'],
  shard: ['x', 'is not INDEX/COUNT'],
  'signature-expiration': ['x', 'is not a Unix time in whole seconds.'],
  'stats-path': URL_PATH,
  summary: FLAG,
  target: ['..', 'is not a plain POSIX path'],
  timeout: duration('1ms'),
  token: ['a b', 'or has a space,'],
  'upload-path': URL_PATH,
  'wait-timeout': duration('1ms'),
  'wait-until': CONDITIONS,
  'warn-if': CONDITIONS,
};

test('each input has the parser of its row, in every action', () => {
  const all: Readonly<Record<string, Readonly<Record<string, InputParser<unknown>>>>> = INPUTS;
  // Post steps read what their main step has parsed.
  const actions = Object.entries(all).filter(([entry]) => !entry.endsWith('-end'));
  for (const [input, parseInput] of actions.flatMap(([, parsers]) => Object.entries(parsers))) {
    const row = PARSERS[input];
    if (row === undefined) assert.equal(parseInput('any: $text', input), 'any: $text', input);
    else
      assert.throws(
        () => parseInput(row[0], input),
        ({ message }: Error) => message.startsWith(`${input}: `) && message.includes(row[1]),
        input,
      );
  }
});

const SANDBOX = { action: 'sandbox' } as const;

test('a number of times is a whole number in a range', () => {
  accepts('retries', { '0': 0, '10': 10, '007': 7, ' 4 ': 4 });
  const wrong = ['11', '-1', '1.0', '1e1', '0x10', '1,0', 'many', '٣'];
  rejects('retries', sameMessage(wrong, '% is not a whole number from 0 to 10.'));
});

test('concurrency and files-per-request can be auto', () => {
  accepts('concurrency', { '': 24, auto: 24, '1': 1, '100': 100 });
  accepts('files-per-request', { '': 'auto', auto: 'auto', '1': 1, '1000': 1000 });
  for (const input of ['concurrency', 'files-per-request'])
    rejects(input, sameMessage(['0', '1001', 'Auto'], '% is not a whole number from 1 to 100'));
});

test('shard is an index and a count of at most 256', () => {
  accepts('shard', { '1/1': { index: 1, count: 1 }, ' 256/256\n': { index: 256, count: 256 } });
  const wrong = ['5/4', '1/0', '1/257', '2', '2/', '/4', '2 / 4', '-1/4', '1.5/4', '0/4'];
  rejects('shard', sameMessage(wrong, '% is not INDEX/COUNT'));
});

test('a duration is a number with a unit, up to 24 hours', () => {
  const input = 'sample-interval';
  accepts(input, { '200ms': 200, '1.5s': 1500, '5m': 300_000, '24h': 86_400_000 });
  const wrong = ['199.4ms', '0s', '60', '1 s', '-1s', '30S', '1d', '1m30s', '24.001h'];
  rejects(input, sameMessage(wrong, '% is not a duration from 200ms to 24h'));
});

test('a switch is true or false as in YAML, and the example means the same as the rejected word', () => {
  accepts('summary', { true: true, True: true, TRUE: true, ' false ': false, FALSE: false });
  rejects('summary', sameMessage(['1', 'tRUE', 'null'], '% is neither true nor false.'));
  for (const [word, meant] of Object.entries({ yes: true, On: true, no: false, off: false })) {
    const [problem] = problemsOf({ summary: word });
    assert.ok(problem?.message.endsWith(` Example: \`summary: ${meant}\``), problem?.message);
  }
  for (const [word, status] of Object.entries({ 'on-success': 'success', failure: 'failure' })) {
    const [{ message } = assert.fail()] = problemsOf({ delete: word }, 'sandbox');
    assert.match(
      message,
      RegExp(`Example: .delete: \\$\\{\\{ job\\.status == '${status}' \\}\\}.$`),
    );
  }
});

test('a choice is one of its words, in lower case', () => {
  accepts('if-no-files-found', { '': 'error', error: 'error', warn: 'warn', ignore: 'ignore' });
  rejects('if-no-files-found', sameMessage(['fail', 'Warn'], '% is not one of error,'));
});

test('a text is trimmed, and a time is in whole seconds', () => {
  accepts('username', { ' a b ': 'a b', '': '' });
  accepts('signature-expiration', { '': '', ' 1798761600 ': '1798761600' });
  const wrong = ['tomorrow', '2027-01-01', '1h', '-1', '1.5'];
  rejects('signature-expiration', sameMessage(wrong, '% is not a Unix time in whole seconds.'));
});

test('conditions stand on lines, between blank ones and comments', () => {
  const conditions = '\n# at most 1,000 MiB\r\n  mem_used_pct>90  \r\n\n\tdisk_free < 512 MiB\n';
  const both = ['mem_used_pct > 90', 'disk_free < 512MiB'].map(parse);
  const place = 'line 3: "mem_used >": this is not of the form METRIC OPERATOR NUMBER';
  for (const input of ['fail-if', 'wait-until']) {
    accepts(input, { [conditions]: both });
    rejects(input, { 'cpu_count > 1\n\n  mem_used >': place });
  }
  accepts('wait-until', { ready: [], ' Ready\r\n': [], '# none': undefined });
});

test('metadata are lines KEY=value, and a value may have anything in it', () => {
  const lines = { 'A=1\n\n# c\n B=x="y" \n__proto__=': { A: '1', B: 'x="y"', ['__proto__']: '' } };
  accepts('metadata', lines, SANDBOX);
  const words = 'line 1: this is not of the form KEY=value.';
  rejects('metadata', sameMessage(['A', '=1', 'A B=1'], words), SANDBOX);
});

test('create-options is a JSON object without what other inputs say', () => {
  const nested = { '': {}, ' {"network": {"timeout": 1}} ': { network: { timeout: 1 } } };
  accepts('create-options', nested, SANDBOX);
  const others = ['{', 'a: 1', '[]', '"{}"', 'null', '{"a": 1} {}'];
  rejects('create-options', sameMessage(others, 'is not a JSON object.'), SANDBOX);
  for (const field of ['templateID', 'timeout', 'metadata', 'envVars', 'secure', 'autoPause']) {
    const words = `has "${field}". Leave it out: template, lifetime, metadata,`;
    rejects('create-options', { [`{"a": 1, "${field}": "b"}`]: words }, SANDBOX);
  }
});

const VARIABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'A=1\nB=2': { A: '1', B: '2' },
  'A=x "y" z': { A: 'x "y" z' },
  'A="x" "y"': { A: '"x" "y"' },
  'A=\'x"': { A: '\'x"' },
  'A=<<END': { A: '<<END' },
  'A<<END\nEND\nB=1': { A: '', B: '1' },
  'A<<END\n"x"\n\n  # no comment\nEN\n END': { A: '"x"\n\n  # no comment\nEN' },
  'B=1\nA<<X\nC=2\nX\nD=3': { A: 'C=2', B: '1', D: '3' },
  'A<<X\n1\nX\nB<<X\n2\nX': { A: '1', B: '2' },
  'A<<X\r\n1\r\n2\r\nX\r\nB=3': { A: '1\r\n2', B: '3' },
  'A<<X\n1\nX\nA=2\nB=3\nB<<X\n4\nX': { A: '2', B: '4' },
};
test('env takes values of one or several lines', () => {
  accepts('env', VARIABLES, { action: 'run' });
});

const REJECTED: Readonly<Record<string, RegExp>> = {
  'A="secret"': /^A is in quotation marks.* A<<END, the value, and END\.$/,
  "B=1\nA='secret word'": /^A is in quotation marks/,
  'A=""': /^A is in quotation marks/,
  'A<<END\nsecret': /^line 1: this is not of the form KEY=value/,
  'A<<X\n1\n2\nX\nsecret': /^line 5: this is not of the form KEY=value/,
};
test('env is rejected without its values', () => {
  for (const [env, expected] of Object.entries(REJECTED)) {
    const [problem] = problemsOf({ env }, 'run');
    assert.match(problem?.message ?? '', expected);
    assert.doesNotMatch(problem?.message ?? '', /secret/);
  }
});

test('a command keeps its lines, and must not be blank', () => {
  const action = 'run';
  accepts('run', { ' npm ci\n\n  npm test  # all\n': 'npm ci\n\n  npm test  # all' }, { action });
  rejects('run', { ' \n ': 'is required: the commands to run.' }, { action });
});

test('max-size is in bytes or has a unit', () => {
  const action = 'download';
  const binary = { '': 2 ** 30, '2kib': 2048, '512MiB': 2 ** 29, '3TiB': 3 * 2 ** 40 };
  accepts('max-size', binary, { action });
  const decimal = { '1': 1, '9b': 9, '2kB': 2000, '3MB': 3e6, '1.5 GB': 1.5e9, '5TB': 5e12 };
  accepts('max-size', decimal, { action });
  const wrong = ['0', '-1', '0.1B', 'many', '5 apples', '1e3', '5%', '1,000', 'GiB'];
  const words = '% is not a size: write bytes, or a number with B, kB';
  rejects('max-size', sameMessage(wrong, words), { action });
});

test('every invalid line of an input is reported', () => {
  const problems = problemsOf({ 'fail-if': 'mem_used > 5 x\nload > 1\ncpu_used_pct >' });
  const places = problems.map(({ message }) => message.slice(0, 6));
  assert.deepEqual(places, ['line 1', 'line 3']);
});

test('a bug in a parser is thrown as it is, not as an invalid input', () => {
  const bug = () => {
    throw new TypeError('a bug');
  };
  assert.throws(() => tryAll(['value'], bug), new TypeError('a bug'));
});
