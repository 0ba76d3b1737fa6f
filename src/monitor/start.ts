import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { RawInputs } from '../inputs/parse.ts';
import { parseFieldsOf, textsOf } from '../text/exact-json.ts';

/** What the sampling process is told when it starts. */
export interface Handover {
  readonly inputs: RawInputs;
  /** The process whose end is the end of the job. */
  readonly jobPid: number;
}

// The token is in the inputs, so they go neither on the command line nor into the environment, where other processes
// could read them; of the environment only what the network needs is passed on.
const PASSED_ON = [
  /^(path|home|userprofile|systemroot|temp|tmp|tmpdir)$/i,
  /^((https?|no)_proxy|node_extra_ca_certs|node_use_system_ca|ssl_cert_(file|dir))$/i,
  // By this the runner finds what a job left running, and ends it.
  /^runner_tracking_id$/i,
];

// Those that name a file, which may be relative to where the step runs.
const FILES = /^(node_extra_ca_certs|ssl_cert_file)$/i;

// Compilers off, also for undici's parser of WebAssembly: they would take memory for a speed that a reading every few
// seconds has no use for.
const SMALL = ['--max-semi-space-size=1', '--no-opt', '--no-sparkplug', '--no-maglev', '--liftoff-only'];

/** Starts the sampling process, which records in a directory and lives on after this one, and hands over to it. */
export async function startSampler(script: string, directory: string, handover: Handover): Promise<void> {
  const passedOn = Object.entries(process.env).filter(([name]) => PASSED_ON.some(names => names.test(name)));
  // Of the options of Node's own, those that say whom to trust.
  const trust = process.env['NODE_OPTIONS']?.match(/(?<!\S)--use-(openssl|system|bundled)-ca(?!\S)/g) ?? [];
  const child = spawn(process.execPath, [...SMALL, ...trust, script, directory], {
    env: Object.fromEntries(
      passedOn.map(([name, value = '']) => [name, FILES.test(name) ? path.resolve(value) : value]),
    ),
    // A working directory cannot be removed on Windows, and a job may remove its workspace.
    cwd: path.dirname(directory),
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await once(child, 'spawn');
  child.stdin.end(JSON.stringify(handover));
  await once(child.stdin, 'close');
  child.unref();
}

/** Reads the handover from this process's standard input. */
export async function receiveHandover(): Promise<Handover> {
  const { inputs, jobPid } = parseFieldsOf(await text(process.stdin));
  if (typeof jobPid !== 'number') throw new TypeError('the handover names no process');
  return { inputs: textsOf(inputs), jobPid };
}
