import assert from 'node:assert/strict';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite, test } from 'node:test';
import { assertAsked, WHOLE_LIFE } from './checks.ts';
import { openStage, skip } from './stage.ts';

const SERVICES = readFileSync(path.resolve(import.meta.dirname, '../../docs/services.md'), 'utf8');
const [, RECIPE = ''] = /^## Another API$.*?^```yaml\n(.*?)^```$/ms.exec(SERVICES) ?? [];

suite('the requests in docs/services.md', { concurrency: 2, skip }, () => {
  const situations = {
    'create a sandbox and delete it': { succeeds: true, asked: WHOLE_LIFE },
    'create none with a wrong key': {
      apiKey: 'another',
      succeeds: false,
      asked: ['POST /sandboxes 401'],
    },
    'delete a sandbox that comes without a token': {
      givesToken: false,
      succeeds: false,
      asked: WHOLE_LIFE,
    },
  } as const;
  for (const [name, { succeeds, asked, ...options }] of Object.entries(situations)) {
    test(name, async () => {
      using folder = mkdtempDisposableSync(path.join(tmpdir(), 'recipe-'));
      const workflow = path.join(folder.path, 'workflow.yml');
      writeFileSync(workflow, `jobs:\n  a:\n    steps:\n${RECIPE.replaceAll(/^/gm, '      ')}`);
      await using stage = await openStage();
      const service = await stage.service(options);
      const run = await stage.run(workflow, { service });
      assert.equal(run.succeeded, succeeds, run.log);
      assertAsked(service, ...asked);
    });
  }
});
