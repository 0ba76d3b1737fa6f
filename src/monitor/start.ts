import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { RawInputs } from '../inputs/fields.ts';
import { inputError } from '../inputs/input-error.ts';
import { parseFieldsOf, textsOf } from '../text/json.ts';
import { systemCode } from '../text/system-error.ts';
import { openCrashFile, readCrash } from './crash.ts';

/** What the sampling process is told when it starts. */
export interface Handover {
  readonly inputs: RawInputs;
  /** The process whose end is the end of the job. */
  readonly jobPid: number;
}

/** Starts the sampling process, which outlives this one. @throws InputError */
export async function startSampler(
  script: string,
  directory: string,
  handover: Handover,
): Promise<void> {
  const crashFile = openCrashFile(directory);
  const child = spawn(process.execPath, [...LOW_MEMORY, ...trustOptions(), script, directory], {
    env: passedOnEnvironment(),
    // Windows cannot remove a process's working directory, and a job may remove its workspace.
    cwd: path.dirname(directory),
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', crashFile],
  });
  try {
    await once(child, 'spawn');
    await writeTo(child.stdin, JSON.stringify(handover));
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    const reason = await findCrash(child, directory);
    throw inputError('monitor', `cannot start: its process ended at once: ${reason ?? code}.`);
  } finally {
    closeSync(crashFile);
  }
  child.unref();
}

/** Reads the handover from this process's standard input. */
export async function receiveHandover(): Promise<Handover> {
  const { inputs, jobPid } = parseFieldsOf(await text(process.stdin));
  if (typeof jobPid !== 'number') throw new TypeError('the handover names no process');
  return { inputs: textsOf(inputs), jobPid };
}

// Without compilers, those for undici's WebAssembly too: 65 MiB instead of 88.
const LOW_MEMORY = [
  '--max-semi-space-size=1',
  '--no-opt',
  '--no-sparkplug',
  '--no-maglev',
  '--liftoff-only',
];

/** Those of Node's own options that say which certificates to trust. */
function trustOptions(): string[] {
  const options = process.env['NODE_OPTIONS'] ?? '';
  return options.match(/(?<!\S)--use-(openssl|system|bundled)-ca(?!\S)/g) ?? [];
}

// Other processes can read an environment, so it only has what the network needs; the token goes
// through a pipe.
const PASSED_ON = [
  /^(path|home|userprofile|systemroot|temp|tmp|tmpdir)$/i,
  /^((https?|no)_proxy|node_extra_ca_certs|node_use_system_ca|ssl_cert_(file|dir))$/i,
  // The runner finds what a job left running by this, and ends it.
  /^runner_tracking_id$/i,
];

// Names of files and folders, which may be relative to where the step runs.
const FILE_VARIABLES = /^(node_extra_ca_certs|ssl_cert_(file|dir))$/i;

function passedOnEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) =>
    PASSED_ON.some(names => names.test(name)),
  );
  return Object.fromEntries(
    entries.map(([name, value = '']) => [
      name,
      FILE_VARIABLES.test(name) ? absolute(name, value) : value,
    ]),
  );
}

/** Only SSL_CERT_DIR may list several. An empty part would become the working directory. */
function absolute(name: string, value: string): string {
  const parts = /dir$/i.test(name) ? value.split(path.delimiter) : [value];
  return parts.map(part => (part === '' ? '' : path.resolve(part))).join(path.delimiter);
}

async function writeTo(stdin: Writable | null, content: string): Promise<void> {
  if (stdin === null) throw new TypeError('the sampling process has no standard input');
  stdin.end(content);
  await once(stdin, 'close');
}

async function findCrash(child: ChildProcess, directory: string): Promise<string | undefined> {
  // A process that was never made has no ID, and gives no reason.
  if (child.pid === undefined) return undefined;
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return readCrash(directory);
}
