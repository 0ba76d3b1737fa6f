import { suite, test } from 'node:test';
import { PACKAGE, SITE } from './repository.ts';
import { assertArrived, assertReached, assertSucceeded, openStage, skip } from './stage.ts';

suite('the example', { skip }, () => {
  test('sync.yml syncs all but the maps, and says what came of it', async () => {
    await using stage = await openStage();
    const sandbox = await stage.sandbox();
    const run = await stage.run('sync.yml', { sandboxFor: () => sandbox });
    assertSucceeded(run, /\n5 files, 50\.00 % of the disk$/);
    const { 'assets/app.js.map': _, ...sent } = SITE;
    assertArrived(sandbox, { ...sent, 'package.json': PACKAGE });
    assertReached(sandbox, 'sandbox.example.com');
  });
});
