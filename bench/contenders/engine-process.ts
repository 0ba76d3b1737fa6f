import '../../src/main/small-heap.ts';
import { sleep } from '../../src/agent/sleep.ts';
import { parseUpload } from '../../src/inputs/tasks.ts';
import { selectFiles } from '../../src/run/selecting.ts';
import { withClient } from '../../src/run/surroundings.ts';
import { sendFiles } from '../../src/run/uploading.ts';

// Finds and plans, then uploads, and prints how many milliseconds the uploading took.

const nothing = () => {};
const { workspace, inputs }: { workspace: string; inputs: Record<string, string> } = JSON.parse(
  process.argv[2] ?? '',
);
const surroundings = {
  workspace,
  userAgent: 'sandbox-sync-bench',
  cancel: new AbortController().signal,
  sleep,
  random: Math.random,
  now: Date.now,
  clock: () => performance.now(),
  observer: { planned: nothing, waiting: nothing, event: nothing },
};
const task = parseUpload(inputs);
const selected = await selectFiles(task, surroundings);
const start = performance.now();
const sent = await withClient(task.connection, task.upload, surroundings, client =>
  sendFiles(selected, task, client, surroundings),
);
const ms = performance.now() - start;
for (const result of sent.files) if (result.status !== 'uploaded') throw new Error(JSON.stringify(result));
console.log(ms);
