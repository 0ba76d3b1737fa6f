import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { logView } from '../../local-runner/print.ts';
import type { Play } from '../../local-runner/use.ts';
import { type JobResult, type Machine, runWorkflow } from '../../local-runner/workflow.ts';
import { readWorkflow } from '../../local-runner/workflow-file.ts';
import type { Mapping } from '../../local-runner/yaml.ts';
import { hasOpenssl, type Keys, makeKeys } from '../action/proxy.ts';
import { playArtifacts, playCache } from './played.ts';
import { API_KEY, type Files, type RepositoryOptions, writeRepository } from './repository.ts';
import { filesBelow, openSandbox, type Sandbox, type SandboxOptions, tokenOf } from './sandbox.ts';

/** Why examples cannot be run here; false where they can. */
export const skip =
  (process.platform === 'win32' && 'the bash found there may be that of WSL') || (!hasOpenssl && 'needs openssl');

/** Where examples run: machines for their jobs, what GitHub keeps for a repository, and a service of sandboxes. */
export interface Stage extends AsyncDisposable {
  /** The file with the certificate of the service's CA. */
  readonly caFile: string;
  /** Creates a sandbox, which ends with the stage. */
  readonly sandbox: (options?: Partial<SandboxOptions>) => Promise<Sandbox>;
  /** Runs an example as it is written. */
  readonly run: (example: string, options: RunOptions) => Promise<Run>;
}

export interface RunOptions {
  /** The sandbox that every host name leads to from the machine of a copy of a job; without one, the machine knows no proxy. */
  readonly sandboxFor: (matrix: Mapping) => Sandbox | undefined;
  readonly repository?: RepositoryOptions;
  readonly vars?: Readonly<Record<string, string>>;
  readonly runId?: string;
}

/** What came of a run. */
export interface Run {
  readonly jobs: readonly JobResult[];
  readonly succeeded: boolean;
  /** The log of all its steps, as GitHub shows it. */
  readonly log: string;
}

/** The run did well, and said so. */
export function assertSucceeded({ succeeded, log }: Run, said = /^/): void {
  assert.ok(succeeded, log);
  assert.match(log, said);
}

/** In the folder `app` of the sandbox are these files, and no others anywhere but those named. */
export function assertArrived({ home }: Sandbox, files: Files, others: readonly string[] = []): void {
  const found = Object.entries(filesBelow(home)).filter(([name]) => !others.includes(name));
  const sent = Object.entries(files).map(([name, content]) => [`app/${name}`, Buffer.from(content)]);
  assert.deepEqual(Object.fromEntries(found), Object.fromEntries(sent));
}

/** The sandbox was reached by a host alone, through the proxy. */
export function assertReached({ proxy, agent }: Sandbox, host: string): void {
  assert.deepEqual([...new Set(proxy.requests.map(request => request.host))], [`${host}:443`]);
  assert.deepEqual([...new Set(agent.requests.map(({ headers }) => headers.host))], [host]);
}

const PROJECT = path.resolve(import.meta.dirname, '../..');
const OWN = /^sandbox-sync\/sandbox-sync(?:\/(?<folder>\w+))?@v1$/;

/** Opens a stage, removed with all that is on it when it is disposed of. */
export async function openStage(): Promise<Stage> {
  const folder = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'examples-')));
  const held = new AsyncDisposableStack();
  held.defer(() => rmSync(folder, { recursive: true, force: true }));
  const keys = held.use(makeKeys('DNS:*.example.com'));
  const actions = playedActions(folder);
  return {
    caFile: keys.certFile,
    sandbox: async options => {
      const root = mkdtempSync(path.join(folder, 'root-'));
      return held.use(await openSandbox({ keys, root, ...options }));
    },
    run: (example, options) => run(example, options, { folder, keys, actions }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

type Actions = ReadonlyMap<string, Play>;

interface Surroundings {
  readonly folder: string;
  readonly keys: Keys;
  readonly actions: Actions;
}

function playedActions(folder: string): Actions {
  const artifacts = playArtifacts(path.join(folder, 'artifacts'));
  const cache = playCache(path.join(folder, 'caches'));
  return new Map([
    ['actions/upload-artifact@v7', artifacts.upload],
    ['actions/download-artifact@v8', artifacts.download],
    ['actions/cache/restore@v6', cache.restore],
    ['actions/cache/save@v6', cache.save],
  ]);
}

async function run(example: string, options: RunOptions, surroundings: Surroundings): Promise<Run> {
  const { vars = {}, runId = '1' } = options;
  const secrets = { SANDBOX_API_KEY: API_KEY, SANDBOX_TOKEN: tokenOf('box') };
  const log: string[] = [];
  const jobs = await runWorkflow(await readWorkflow(path.join(PROJECT, 'examples', example)), {
    openMachine: matrix => ({
      ...machineFor(matrix, options, surroundings),
      onStart: () => undefined,
      onLine: lineShower(Object.values(secrets), log),
      onEnd: () => undefined,
    }),
    contexts: { secrets, vars: { SANDBOX_ID: 'box', ...vars }, github: { run_id: runId, run_attempt: '1' } },
  });
  const text = log.join('\n');
  assert.doesNotMatch(text, new RegExp(`${API_KEY}|${tokenOf('')}`), 'the log holds a secret');
  return { jobs, log: text, succeeded: jobs.every(({ succeeded }) => succeeded) };
}

/** Writes lines to a log as GitHub shows them. */
function lineShower(secrets: readonly string[], log: string[]): (line: string) => void {
  const view = logView();
  for (const secret of secrets) view(`::add-mask::${secret}`);
  return line => {
    const shown = view(line);
    if (shown !== undefined) log.push(shown);
  };
}

function machineFor(
  matrix: Mapping,
  { sandboxFor, repository }: RunOptions,
  { folder, keys, actions }: Surroundings,
): Pick<Machine, 'workspace' | 'temp' | 'machine' | 'findAction'> {
  const home = mkdtempSync(path.join(folder, 'machine-'));
  const [workspace, temp] = [path.join(home, 'work'), path.join(home, 'temp')];
  for (const made of [workspace, temp]) mkdirSync(made);
  const sandbox = sandboxFor(matrix);
  const known = sandbox && variablesFor(sandbox, keys);
  const checkout: Play = async () => writeRepository(workspace, repository);
  return {
    workspace,
    temp,
    machine: { HOME: home, npm_config_offline: 'true', ...known },
    findAction: uses => (uses === 'actions/checkout@v7' ? checkout : actionOf(uses, actions)),
  };
}

function variablesFor({ proxy, home }: Sandbox, { certFile }: Keys): Readonly<Record<string, string>> {
  return { HTTPS_PROXY: `http://${proxy.address}`, NODE_EXTRA_CA_CERTS: certFile, SANDBOX_HOME: home };
}

function actionOf(uses: string, played: Actions): string | Play {
  const own = OWN.exec(uses);
  const found = own === null ? played.get(uses) : path.join(PROJECT, own.groups?.['folder'] ?? '');
  return found ?? assert.fail(`${uses} is not known here`);
}
