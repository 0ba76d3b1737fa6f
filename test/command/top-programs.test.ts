import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { lookAtPrograms, parsePrograms, watchMemory } from '../../src/command/top-programs.ts';
import { LIMITS, openTestClient } from '../support/open-client.ts';
import { parse } from '../support/parse-condition.ts';
import { skipUnlessLinux } from '../support/system.ts';
import { openJob, SANDBOX_ID, TOKEN } from '../support/test-job.ts';

const NONE = { at: 0, programs: [] };

/** Returns the samples, by index, after which the programs are looked at. */
async function looksAt(
  samples: readonly Readonly<Record<string, number>>[],
  conditions: readonly string[] = [],
  look: () => Promise<typeof NONE | undefined> = async () => NONE,
) {
  const looks: number[] = [];
  let index = 0;
  const { onSample, topPrograms } = watchMemory(conditions.map(parse), () => {
    looks.push(index);
    return look();
  });
  for (index = 0; index < samples.length; index += 1) {
    onSample({ at: index, figures: samples[index] ?? {} });
    await setImmediate();
  }
  return { looks, topPrograms: topPrograms() };
}

const used = (...percents: readonly number[]) => percents.map(mem_used_pct => ({ mem_used_pct }));

test('run looks at the programs at the first sample above 70 % of the memory, and at each 10 points more', async () => {
  const samples = used(70, 70.1, 80, 75, 80.1, 89, 91, 100, 1e300, 99);
  const { looks, topPrograms } = await looksAt(samples);
  assert.deepEqual([looks, topPrograms], [[1, 4, 6, 8], NONE]);
  assert.deepEqual((await looksAt(used(95, 99))).looks, [0]);
});

test('run looks at the programs when a condition on memory first trips', async () => {
  const samples = [{ load: 9, mem_free: 9 }, { load: 1, mem_free: 4 }, { mem_free: 3 }, {}];
  assert.deepEqual((await looksAt(samples, ['load > 5', 'mem_free.min < 5B'])).looks, [1]);
});

test('run does not look at the programs while its last look is unanswered', async () => {
  const { promise } = Promise.withResolvers<typeof NONE>();
  const samples = used(75, 85, 95, 65, 95);
  const { looks, topPrograms } = await looksAt(samples, ['mem_used_pct > 90'], () => promise);
  assert.deepEqual([looks, topPrograms], [[0], undefined]);
});

test('run keeps what it saw if a later look fails', async () => {
  const answers = [NONE, undefined];
  const { looks, topPrograms } = await looksAt(used(75, 85), [], async () => answers.shift());
  assert.deepEqual([looks, topPrograms], [[0, 1], NONE]);
});

const link = (pid: number, file: string) =>
  `lrwxrwxrwx 1 root root 0 Nov 24 06:11 /proc/${pid}/exe -> ${file}\n`;
const size = (pid: number, kib: number) => `/proc/${pid}/status:RssAnon:\t   ${kib} kB\n`;

const LISTS: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  'the processes of a program together': [
    link(7, '/usr/bin/node') + link(8, '/opt/node') + size(7, 3) + size(8, 4),
    ['node 2 7'],
  ],
  'the five largest programs': [
    [1, 2, 3, 4, 5, 6].map(pid => link(pid, `/bin/p${pid}`) + size(pid, 10 * pid)).join(''),
    ['p6 1 60', 'p5 1 50', 'p4 1 40', 'p3 1 30', 'p2 1 20'],
  ],
  'names without (deleted), secrets, and more than 40 characters': [
    link(7, '/tmp/x y (deleted)') +
      link(8, `/tmp/a-${TOKEN}`) +
      link(9, `/${'x'.repeat(50)}`) +
      [7, 8, 9].map(pid => size(pid, 1)).join(''),
    ['x y 1 1', 'a-*** 1 1', `${'x'.repeat(40)}… 1 1`],
  ],
  'no process without a name or a size': [
    `${link(7, '/bin/a')}${size(8, 5)}lrwxrwxrwx 1 root root 0 Nov 24 06:11 /proc/8/exe\nls: No.`,
    [],
  ],
};

for (const [name, [output, expected]] of Object.entries(LISTS))
  test(`a list of the processes in a sandbox shows [${name}]`, () => {
    const programs = parsePrograms(output, text => text.replaceAll(TOKEN, '***'));
    const shown = programs.map(each => `${each.name} ${each.count} ${each.bytes / 1024}`);
    assert.deepEqual(shown, expected);
  });

test('lookAtPrograms lists what runs in a sandbox', {
  skip: skipUnlessLinux('reads /proc'),
}, async () => {
  await using job = await openJob({ runCommands: true });
  const connection = { sandboxId: SANDBOX_ID, token: TOKEN };
  await using client = openTestClient(job.agent.url, connection);
  const seen = await lookAtPrograms({ client, username: '', limits: LIMITS }, () => 7);
  assert.equal(seen?.at, 7);
  // The test itself is one of them.
  const node = seen.programs.find(({ name }) => name === path.basename(process.execPath));
  assert.ok(node && node.count > 0 && node.bytes > 2 ** 20);
});
