import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { assertArrived, assertAsked, assertHolds, assertSucceeded, WHOLE_LIFE } from './checks.ts';
import { packageJson, SITE } from './repository.ts';
import { openStage, skip } from './stage.ts';

suite('the example', { concurrency: 2, skip }, () => {
  const failures = {
    'without a key': {
      apiKey: 'another',
      said: /The API key is missing or wrong/,
      asked: ['POST /sandboxes 401'],
    },
    'where no sandbox can be had': {
      failures: [402],
      said: /Not now/,
      asked: ['POST /sandboxes 402'],
    },
    'where the sandbox comes without a token': {
      givesToken: false,
      said: /The service returned no token for sandbox/,
      asked: WHOLE_LIFE,
    },
    'where a file does not arrive': {
      // Fails the batch and then one of its files.
      agents: { faults: [{ on: 'upload', times: 2, do: { kind: 'status', status: 400 } }] },
      said: /1 failed/,
      asked: WHOLE_LIFE,
    },
    'where deleting it fails at first': {
      failures: [0, 503],
      said: /\nDeleted sandbox /,
      asked: [WHOLE_LIFE[0], 'DELETE /sandboxes/ID 503', WHOLE_LIFE[1]],
    },
    'where there is nothing to delete any more': {
      failures: [0, 404],
      said: / was already gone$/,
      asked: [WHOLE_LIFE[0], 'DELETE /sandboxes/ID 404'],
    },
  } as const;
  for (const [name, { said, asked, ...options }] of Object.entries(failures)) {
    test(`sync.yml ${name}, leaves nothing behind`, async () => {
      await using stage = await openStage();
      const service = await stage.service(options);
      const run = await stage.run('sync.yml', { service });
      assert.equal(run.succeeded, name.includes('delet'), run.log);
      assert.match(run.log, said);
      assertAsked(service, ...asked);
    });
  }

  for (const [name, copies] of Object.entries({
    'matrix.yml': ['api', 'browser', 'load'],
    'parallel.yml': ['api', 'browser'],
  })) {
    test(`${name} syncs the build into a sandbox for each suite, and deletes them all`, async () => {
      await using stage = await openStage();
      const service = await stage.service();
      const run = await stage.run(name, { service });
      assertSucceeded(run);
      for (const sandbox of service.plane.created)
        assertHolds(sandbox, { ...SITE, 'package.json': packageJson() });
      for (const copy of copies) assert.ok(run.log.includes(`\ntested ${copy}`), run.log);
      assert.equal(service.plane.created.length, copies.length);
      assert.deepEqual(service.plane.running(), []);
    });
  }

  test('parallel.yml deletes what there is where one of the two cannot be created', async () => {
    await using stage = await openStage();
    const service = await stage.service({ failures: [0, 402] });
    const run = await stage.run('parallel.yml', { service });
    assert.ok(!run.succeeded, run.log);
    assertAsked(service, 'POST /sandboxes 201', 'POST /sandboxes 402', 'DELETE /sandboxes/ID 204');
  });

  test('other-job.yml hands on the id, gets the token anew, and deletes the sandbox at the end', async () => {
    await using stage = await openStage();
    const service = await stage.service();
    const run = await stage.run('other-job.yml', { service });
    assertSucceeded(run, /\ntested/);
    assertArrived(service, { ...SITE, 'package.json': packageJson() });
    assertAsked(service, WHOLE_LIFE[0], 'POST /sandboxes/ID/connect 200', WHOLE_LIFE[1]);
  });

  const connected = 'POST /sandboxes/ID/connect 200';
  const refused = 'POST /sandboxes/ID/connect 401';
  for (const [name, { failures, between }] of Object.entries({
    first: { failures: [], between: connected },
    second: { failures: [0, 401], between: refused },
  })) {
    test(`other-job.yml deletes the sandbox where the ${name} job fails`, async () => {
      await using stage = await openStage();
      const faults = [{ on: 'upload', do: { kind: 'status', status: 400 } }] as const;
      const service = await stage.service({
        failures,
        ...(name === 'first' && { agents: { faults } }),
      });
      const run = await stage.run('other-job.yml', { service });
      assert.ok(!run.succeeded, run.log);
      assertAsked(service, WHOLE_LIFE[0], between, WHOLE_LIFE[1]);
    });
  }
});
