import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';

// Preloaded into the action: opens the step's places to everybody and gives up root, which may read
// everything.
if (process.getuid() === 0) {
  const { RUNNER_TEMP, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY } = process.env;
  for (const place of [dirname(RUNNER_TEMP), RUNNER_TEMP, dirname(GITHUB_OUTPUT)])
    chmodSync(place, 0o777);
  for (const file of [GITHUB_OUTPUT, GITHUB_STEP_SUMMARY]) chmodSync(file, 0o666);
  process.setgroups([]);
  process.setgid(65_534);
  process.setuid(65_534);
}
