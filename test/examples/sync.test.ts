import { suite, test } from 'node:test';
import { assertArrived, assertAsked, assertReached, assertSucceeded, WHOLE_LIFE } from './checks.ts';
import { packageJson, SITE } from './repository.ts';
import { openStage, skip } from './stage.ts';

suite('the example', { skip }, () => {
  test('sync.yml syncs all but the maps into a sandbox of its own, runs a command there, and deletes it', async () => {
    await using stage = await openStage();
    const service = await stage.service();
    const run = await stage.run('sync.yml', { service });
    assertSucceeded(run, /\napp:\nassets\nbin\nindex\.html\npackage\.json\n/);
    const { 'assets/app.js.map': _, ...sent } = SITE;
    assertArrived(service, { ...sent, 'package.json': packageJson() });
    assertReached(service, 'api.e2b.app', 'sandbox.e2b.app');
    assertAsked(service, ...WHOLE_LIFE);
  });
});
