import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processIn, startJob, until } from '../monitor/monitoring.ts';
import { unlessLinux } from '../system.ts';

const skip = unlessLinux('it looks for processes in /proc');

test('the post step of a monitor says that it ended before the job', { skip }, async () => {
  await using job = await startJob({ 'max-duration': '1s' });
  await until(() => processIn(job.directory) === undefined || undefined);
  const { stdout } = await job.post();
  assert.match(
    stdout,
    /::warning::The sandbox was not seen from .*, since the monitor had ended: max-duration was over\./,
  );
});

test('the post step of a monitor says that something else ended it', { skip }, async () => {
  await using job = await startJob();
  await job.use(10, 2);
  process.kill(Number(processIn(job.directory)?.split('/').at(-1)), 'SIGKILL');
  const { stdout } = await job.post();
  assert.match(
    stdout,
    /::warning::The sandbox was not seen from .*, since something else ended the monitor\./,
  );
});
