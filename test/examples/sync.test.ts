import { suite, test } from 'node:test';
import {
  assertArrived,
  assertAsked,
  assertReached,
  assertSucceeded,
  WHOLE_LIFE,
} from './checks.ts';
import { SITE } from './repository.ts';
import { openStage, skip } from './stage.ts';

suite('the example', { skip }, () => {
  test('sync.yml creates a sandbox, waits for it, syncs the build into it, and deletes it', async () => {
    await using stage = await openStage();
    const service = await stage.service();
    const run = await stage.run('sync.yml', { service });
    assertSucceeded(run);
    assertArrived(service, SITE);
    const id = service.plane.created[0]?.id;
    assertReached(service, 'api.e2b.app', `49983-${id}.e2b.app`, 'sandbox.e2b.app');
    assertAsked(service, ...WHOLE_LIFE);
  });
});
