import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tryAll } from '../../src/inputs/input-error.ts';
import { parse } from '../support/parse-condition.ts';
import { accepts, problemsOf, rejects, sameMessage } from '../support/parse-inputs.ts';

const NO_NUMBERS = '-1 1.0 1e1 0x10 1,0 many ٣'.split(' ');

const ranges = { port: [1, 65_535], retries: [0, 10], samples: [1, 1000] } as const;
for (const [input, [min, max]] of Object.entries(ranges)) {
  accepts(input, { [min]: min, [max]: max, '007': 7, ' 4 ': 4 });
  const outside = [String(min - 1), String(max + 1), ...NO_NUMBERS];
  rejects(input, sameMessage(outside, `% is not a whole number from ${min} to ${max}.`));
}

accepts('concurrency', { '': 24, auto: 24, '1': 1, '100': 100 });
const noConcurrency = ['0', '101', 'Auto', ...NO_NUMBERS];
rejects('concurrency', sameMessage(noConcurrency, '% is not a whole number from 1 to 100.'));

accepts('files-per-request', { '': 'auto', auto: 'auto', '1': 1, '1000': 1000 });
const noCounts = ['0', '1001', 'Auto', ...NO_NUMBERS];
rejects('files-per-request', sameMessage(noCounts, '% is not a whole number from 1 to 1000.'));

accepts('shard', { '1/1': { index: 1, count: 1 }, ' 256/256\n': { index: 256, count: 256 } });
const noShards = ['5/4', '1/0', '1/257', '2', '2/', '/4', '2 / 4', '-1/4', '1.5/4', '0/4'];
rejects('shard', sameMessage(noShards, '% is not INDEX/COUNT'));

const mins = { timeout: 1, 'sample-interval': 200, 'wait-timeout': 1 };
for (const [input, min] of Object.entries(mins)) {
  accepts(input, { [`${min}ms`]: min, '1.5s': 1500, '5m': 300_000, '24h': 86_400_000 });
  const wrong = [`${min - 0.6}ms`, '0s', '60', '1 s', '-1s', '30S', '1d', '1m30s', '24.001h'];
  rejects(input, sameMessage(wrong, `% is not a duration from ${min}ms to 24h`));
}

for (const input of ['dry-run', 'summary', 'follow-symlinks', 'allow-insecure-http']) {
  accepts(input, { true: true, True: true, TRUE: true, ' false ': false, FALSE: false });
  rejects(input, sameMessage(['yes', 'on', '1', 'tRUE', 'null'], '% is neither true nor false.'));
}
test('the example for a switch means the same as the rejected word', () => {
  for (const [word, meant] of Object.entries({ yes: true, On: true, no: false, off: false })) {
    const [problem] = problemsOf({ summary: word });
    assert.ok(problem?.message.endsWith(` Example: summary: ${meant}`), problem?.message);
  }
});
accepts('delete', { true: true, false: false }, { action: 'sandbox' });

accepts('if-no-files-found', { error: 'error', warn: 'warn', ignore: 'ignore' });
rejects(
  'if-no-files-found',
  sameMessage(['fail', 'Warn', 'constructor'], '% is not one of error,'),
);
const texts = ['working-directory', 'username', 'signature'];
for (const input of [...texts, 'state-file']) accepts(input, { ' a b ': 'a b', '': '' });

accepts('signature-expiration', { '': '', ' 1798761600 ': '1798761600' });
const noTimes = ['tomorrow', '2027-01-01', '1h', '-1', '1.5'];
rejects('signature-expiration', sameMessage(noTimes, '% is not a Unix time in whole seconds.'));

const conditions = '\n# at most 1,000 MiB\r\n  mem_used_pct>90  \r\n\n\tdisk_free < 512 MiB\n';
const both = ['mem_used_pct > 90', 'disk_free < 512MiB'].map(parse);
const place = 'line 3: "mem_used >": nothing follows >, perhaps because an expression is empty.';
for (const input of ['fail-if', 'warn-if', 'wait-until']) {
  accepts(input, { [conditions]: both });
  rejects(input, { 'cpu_count > 1\n\n  mem_used >': place });
}
accepts('wait-until', { ready: [], ' Ready\r\n': [], '# none': undefined });

for (const input of ['metadata', 'env']) {
  const lines = { 'A=1\n\n# c\n B=x=y \n__proto__=': { A: '1', B: 'x=y', ['__proto__']: '' } };
  accepts(input, lines, { action: 'sandbox' });
  const words = 'line 1: this is not of the form KEY=value.';
  rejects(input, sameMessage(['A', '=1', 'A B=1'], words), { action: 'sandbox' });
}

const action = 'run';
accepts('run', { ' npm ci\n\n  npm test  # all\n': 'npm ci\n\n  npm test  # all' }, { action });
rejects('run', sameMessage(['', ' \n '], 'is required: the commands to run.'), { action });
accepts('max-duration', { '': 3_600_000, '1s': 1000, '24h': 86_400_000 }, { action });
const isNoDuration = '% is not a duration from 1000ms to 24h';
rejects('max-duration', sameMessage(['999ms', '25h', '0'], isNoDuration), { action });
accepts('sample-interval', { '': 1000, '200ms': 200 }, { action });

const DOWNLOAD = { action: 'download' } as const;

const sizes = { '': 2 ** 30, '1': 1, '512MiB': 2 ** 29, '1.5 GB': 1.5e9, '2kib': 2048, '9b': 9 };
accepts('max-size', sizes, DOWNLOAD);
const noSizes = ['0', '-1', '0.1B', 'many', '5 apples', '1e3', '5%', '1,000', 'GiB'];
const isNoSize = '% is not a size: write bytes, or a number with B, kB';
rejects('max-size', sameMessage(noSizes, isNoSize), DOWNLOAD);

accepts('if-no-files-found', { '': 'error', warn: 'warn', ignore: 'ignore' }, DOWNLOAD);
rejects(
  'if-no-files-found',
  sameMessage(['fail', 'Warn'], '% is not one of error, warn'),
  DOWNLOAD,
);

test('every invalid line of an input is reported', () => {
  const problems = problemsOf({ 'fail-if': 'mem_used > 5 x\nload > 1\ncpu_used_pct >' });
  assert.deepEqual(
    problems.map(({ message }) => message.slice(0, 6)),
    ['line 1', 'line 3'],
  );
});

test('a bug in a parser is thrown as it is, not as an invalid input', () => {
  const bug = () => {
    throw new TypeError('a bug');
  };
  assert.throws(() => tryAll(['value'], bug), new TypeError('a bug'));
});
