import { after } from 'node:test';

// dev/test.ts loads this into the process of each test file. What a hung test has left open would keep
// it alive for ever. --test-force-exit would exit before all results have been written.
const GRACE_MS = 10_000;

if (process.env['NODE_TEST_CONTEXT'] === 'child-v8')
  after(() => setTimeout(fail, GRACE_MS).unref());

function fail(): void {
  console.error('A test has left something open, such as a server or a process.');
  process.exit(1);
}
