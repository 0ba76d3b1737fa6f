import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { proxyVariables } from '../../agent/sockets.ts';
import { fates, faultsOf, strays } from './chaos.ts';
import { assertNothingLost, drive, openPlace, saidIn } from './place.ts';

proxyVariables({});

const FILES = 300;
const RETRIES = 3;

/** Seeds are counted from 1; `FAULT_SEEDS` says how many. */
const SEEDS = Number(process.env['FAULT_SEEDS'] ?? 3);

suite('chaos', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    test(`of seed ${seed} loses nothing, and every file meets its fate`, async t => {
      const planned = fates(seed, FILES, RETRIES);
      const contents = new Map(planned.map(({ name, content }) => [name, content]));
      await using place = await openPlace(contents, { faults: faultsOf(planned) });
      const run = await drive(place, { retries: `${RETRIES}`, concurrency: '10' });
      const said = saidIn(run);
      assertNothingLost(place, said);
      assert.deepEqual(
        run.report.files.map(file => [file.file.source, file.status, 'attempts' in file && file.attempts]),
        planned.map(({ name, status, attempts }) => [name, status, attempts]),
      );
      assert.ok(run.attempts <= FILES * (RETRIES + 1));
      const { requests, maxInFlight } = place.world.agent;
      assert.equal(requests.length, run.attempts);
      assert.ok(maxInFlight <= 10, `${maxInFlight} at once`);
      assert.ok(run.delays.every(ms => ms <= 60_000));
      const failed = said.filter(({ status }) => status === 'failed').length;
      assert.ok(failed > 0 && failed < FILES / 2, `${failed} failed`);
      const faults = planned.reduce(
        (sum, { mishaps, attempts }) => sum + Math.min(mishaps.length, attempts),
        0,
      );
      t.diagnostic(
        `${requests.length} requests, ${faults} faults injected, ${FILES} files checked, ${failed} failed`,
      );
    });

    test(`of seed ${seed} loses nothing where files share requests`, async t => {
      const planned = fates(seed, FILES, RETRIES);
      const contents = new Map(planned.map(({ name, content }) => [name, content]));
      await using place = await openPlace(contents, { faults: strays(seed, 20) });
      const run = await drive(place, {
        retries: `${RETRIES}`,
        concurrency: seed % 2 === 0 ? 'auto' : '10',
        'files-per-request': '20',
      });
      const said = saidIn(run);
      assertNothingLost(place, said);
      const { requests } = place.world.agent;
      assert.ok(requests.length < FILES * 2, `${requests.length} requests`);
      const failed = said.filter(({ status }) => status === 'failed').length;
      assert.ok(failed < FILES / 2, `${failed} failed`);
      t.diagnostic(`${requests.length} requests, ${FILES} files checked, ${failed} failed`);
    });
  }
});
