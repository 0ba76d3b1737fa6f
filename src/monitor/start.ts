import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Handover } from './handover.ts';

// The token is in the inputs, so they go neither on the command line nor into the environment, where other processes
// could read them; of the environment only what the network needs is passed on.
const PASSED_ON = [
  /^(path|home|userprofile|systemroot|temp|tmp|tmpdir)$/i,
  /^((https?|no)_proxy|node_extra_ca_certs|ssl_cert_(file|dir))$/i,
  // By this the runner finds what a job left running, and ends it.
  /^runner_tracking_id$/i,
];

// Compilers off: they would take memory for a speed that a reading every few seconds has no use for.
const SMALL = ['--max-semi-space-size=1', '--no-opt', '--no-sparkplug', '--no-maglev'];

/** Starts the sampling process, which records in a directory and lives on after this one, and hands over to it. */
export async function startSampler(script: string, directory: string, handover: Handover): Promise<void> {
  const passedOn = Object.entries(process.env).filter(([name]) => PASSED_ON.some(names => names.test(name)));
  const child = spawn(process.execPath, [...SMALL, script, directory], {
    env: Object.fromEntries(passedOn),
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await once(child, 'spawn');
  child.stdin.end(JSON.stringify(handover));
  await once(child.stdin, 'close');
  child.unref();
}
