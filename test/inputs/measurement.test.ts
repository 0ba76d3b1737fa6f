import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parsed, problemOf, problemsOf } from './given.ts';

const LISTS = ['fail-if', 'warn-if', 'wait-until'] as const;

test('without these inputs there is one sample, no waiting and no gate', () => {
  assert.deepEqual(parsed().measurement, {
    gate: { failIf: [], warnIf: [] },
    wait: { until: [], timeoutMs: 300_000 },
    samples: 1,
    intervalMs: 1000,
  });
});

test('each list of conditions has its place', () => {
  const { gate, wait } = parsed({
    'fail-if': 'mem_used_pct > 1',
    'warn-if': 'mem_used_pct > 2',
    'wait-until': 'mem_used_pct > 3',
  }).measurement;
  const lists = [gate.failIf, gate.warnIf, wait.until];
  assert.deepEqual(
    lists.map(list => list.map(({ text }) => text)),
    [['mem_used_pct > 1'], ['mem_used_pct > 2'], ['mem_used_pct > 3']],
  );
});

describe('a list of conditions', () => {
  test('has one a line, with blank lines and comments between', () => {
    const value = '\n# peak\r\n  mem_used_pct>90  \r\n\n   # room\n\tdisk_free < 512 MiB\n';
    for (const name of LISTS) {
      const { gate, wait } = parsed({ [name]: value }).measurement;
      const texts = [...gate.failIf, ...gate.warnIf, ...wait.until].map(({ text }) => text);
      assert.deepEqual(texts, ['mem_used_pct > 90', 'disk_free < 512MiB']);
    }
  });

  test('of comments only is empty', () => {
    assert.deepEqual(parsed({ 'fail-if': '# none\n#none' }).measurement.gate.failIf, []);
  });

  for (const name of LISTS) {
    test(`in ${name} that is wrong shows line, text, place and the nearest spelling`, () => {
      const { input, message, example } = problemOf({ [name]: 'cpu_count > 1\n\n  mem_usd > 90' });
      assert.equal(input, name);
      assert.equal(
        message,
        'line 3, "mem_usd > 90", at character 1: there is no metric mem_usd; did you mean mem_used?',
      );
      assert.equal(example, `${name}: mem_used_pct > 90`);
    });
  }

  test('with several lines that are wrong is reported with all of them, of every input', () => {
    const problems = problemsOf({
      'fail-if': 'mem_used > 5 gib\nmem_used > 1\ncpu_used_pct >',
      'warn-if': 'mem_used.avg > 1',
      'wait-until': 'mem_used ~ 1',
    });
    assert.deepEqual(
      problems.map(({ input, message }) => [
        input,
        /^line (\d), ".*", at character (\d+): /.exec(message)?.slice(1),
      ]),
      [
        ['fail-if', ['1', '14']],
        ['fail-if', ['3', '15']],
        ['warn-if', ['1', '9']],
        ['wait-until', ['1', '10']],
      ],
    );
    assert.match(problems[0]?.message ?? '', /did you mean GiB\?/);
  });
});

describe('samples and times', () => {
  const good: Readonly<Record<string, readonly string[]>> = {
    samples: ['1', '1000'],
    'sample-interval': ['200ms', '0.2s', '24h'],
    'wait-timeout': ['1ms', '5m', '24h'],
  };
  const bad: Readonly<Record<string, readonly string[]>> = {
    samples: ['0', '1001', '1.5', '-1', 'many'],
    'sample-interval': ['199ms', '0s', '1', '25h', 'soon'],
    'wait-timeout': ['0s', '-1s', '25h', 'never'],
  };
  for (const [name, values] of Object.entries(good))
    test(`${name} takes ${values.join(' ')}`, () => {
      for (const value of values) assert.deepEqual(problemsOf({ [name]: value }), []);
    });
  for (const [name, values] of Object.entries(bad))
    test(`${name} refuses ${values.join(' ')}`, () => {
      for (const value of values) assert.equal(problemOf({ [name]: value }).input, name, value);
    });

  test('are used in milliseconds', () => {
    const given = { samples: '7', 'sample-interval': '250ms', 'wait-timeout': '1.5m' };
    const { samples, intervalMs, wait } = parsed(given).measurement;
    assert.deepEqual([samples, intervalMs, wait.timeoutMs], [7, 250, 90_000]);
  });
});
