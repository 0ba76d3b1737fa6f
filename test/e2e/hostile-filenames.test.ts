import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canBeNamed } from '../system.ts';
import { statusFault } from './agent-answers.ts';
import { assertNoInjection } from './injections.ts';
import { assertDelivered } from './result.ts';
import { expectFailure, expectSuccess } from './run-action.ts';
import { openJob } from './test-job.ts';

const DEBUG = { env: { RUNNER_DEBUG: '1' } };

const NAMES = [
  '\n::error::injected',
  'a\r\nb',
  '%0A::warning::injected',
  '::set-output name=x::y',
  '##[group]x',
  '-rf',
  'middle ##[error]forged',
  '\u001b[31mred\u001b[2J',
  'right\u202eto-left\u2028line\u200b',
  '<img src=x onerror=alert(1)>',
  '`code` **bold** _it_ | a | ~~no~~',
  '[link](https:||example.com) @someone #1 &amp; &lt;',
  '\n\n# heading\n\n- item',
  '<!-- comment',
  'n'.repeat(255),
  `${'ü'.repeat(127)}x`,
].filter(canBeNamed);

test('hostile filenames arrive unchanged, and are escaped in log and summary', async () => {
  const files = Object.fromEntries(NAMES.map(name => [`d/${name}`, `content of ${name}`]));
  await using job = await openJob({ files });
  const result = await expectSuccess(job, { files: 'd' }, DEBUG);
  assertNoInjection(result);
  assertDelivered(job, result);
  for (const name of NAMES) assert.equal(job.readStored(name).toString(), `content of ${name}`);
  job.addFaults({ on: 'any', do: statusFault(422, NAMES.join()) });
  assertNoInjection(await expectFailure(job, { files: 'd', retries: '1' }, DEBUG));
});
