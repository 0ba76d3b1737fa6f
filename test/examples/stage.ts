import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hasOpenssl, type Keys, makeKeys } from '../../dev/agent/keys.ts';
import { logView } from '../../dev/runner/log.ts';
import type { Play } from '../../dev/runner/use.ts';
import { type JobResult, runWorkflow, type WorkflowOptions } from '../../dev/runner/workflow.ts';
import { readWorkflow } from '../../dev/runner/workflow-file.ts';
import { WITHOUT_BASH } from '../system.ts';
import { playArtifacts, playAttest, playCache, type Subject } from './played.ts';
import { API_KEY, type RepositoryOptions, writeRepository, writeTools } from './repository.ts';
import { openService, type Service, type ServiceOptions } from './sandbox.ts';

/** Why examples cannot run here; false if they can. */
export const skip = WITHOUT_BASH || (!hasOpenssl && 'needs openssl');

/**
 * Where examples run: machines for jobs, what GitHub keeps for a repository, and a sandbox service.
 */
export interface Stage extends AsyncDisposable {
  /** The file of the service's CA certificate. */
  readonly caFile: string;
  /** The attested subjects. */
  readonly subjects: readonly Subject[];
  /** The folder of uploaded artifacts, by name. */
  readonly artifacts: string;
  /** Starts a service. Disposed of with the stage. */
  readonly service: (options?: Partial<ServiceOptions>) => Promise<Service>;
  /** Runs an example as written, or another workflow by its absolute path. */
  readonly run: (example: string, options: RunOptions) => Promise<Run>;
}

export interface RunOptions {
  /** The service behind every host name. Without one, machines have no proxy. */
  readonly service?: Service;
  readonly repository?: RepositoryOptions;
  readonly vars?: Readonly<Record<string, string>>;
  readonly runId?: string;
}

/** The end of a run. */
export interface Run {
  readonly jobs: readonly JobResult[];
  readonly succeeded: boolean;
  /** The log of all steps, as GitHub shows it. */
  readonly log: string;
}

const PROJECT = path.resolve(import.meta.dirname, '../..');
const OWN = /^sandbox-sync\/sandbox-sync(?:\/(?<folder>[\w/]+))?@v1$/;

/** Opens a stage. Disposing of it removes everything on it. */
export async function openStage(): Promise<Stage> {
  const folder = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'examples-')));
  const held = new AsyncDisposableStack();
  held.defer(() => rmSync(folder, { recursive: true, force: true }));
  const keys = held.use(makeKeys('DNS:*.example.com,DNS:*.e2b.app'));
  const subjects: Subject[] = [];
  const actions = playedActions(folder, subjects);
  const sandboxes = path.join(folder, 'sandboxes');
  writeTools(path.join(folder, 'tools'));
  return {
    caFile: keys.certFile,
    subjects,
    artifacts: path.join(folder, 'artifacts'),
    service: async options => held.use(await openService({ keys, folder: sandboxes, ...options })),
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

function playedActions(folder: string, subjects: Subject[]): Actions {
  const artifacts = playArtifacts(path.join(folder, 'artifacts'));
  const cache = playCache(path.join(folder, 'caches'));
  return new Map([
    ['actions/upload-artifact@v7', artifacts.upload],
    ['actions/download-artifact@v8', artifacts.download],
    ['actions/attest@v4', playAttest(subjects)],
    ['actions/cache/restore@v6', cache.restore],
    ['actions/cache/save@v6', cache.save],
  ]);
}

async function run(example: string, options: RunOptions, surroundings: Surroundings): Promise<Run> {
  const { vars = {}, runId = '1', service } = options;
  const secrets = { E2B_API_KEY: API_KEY, SANDBOX_TOKEN: TOKEN };
  const log: string[] = [];
  const jobs = await runWorkflow(await readWorkflow(path.resolve(PROJECT, 'examples', example)), {
    openMachine: () => ({
      ...openMachine(options, surroundings),
      log: lineShower(Object.values(secrets), log),
    }),
    contexts: {
      secrets,
      vars: { SANDBOX_ID: 'box', ...vars },
      github: { run_id: runId, run_attempt: '1' },
    },
  });
  const text = log.join('\n');
  for (const secret of [
    API_KEY,
    TOKEN,
    ...(service?.plane.created ?? []).map(({ token }) => token),
  ])
    assert.ok(!text.includes(secret), 'the log holds a secret');
  return { jobs, log: text, succeeded: jobs.every(({ succeeded }) => succeeded) };
}

/** The token of the existing sandbox. */
export const TOKEN = 'token-of-box';

/** Appends lines to a log as GitHub shows them. */
function lineShower(secrets: readonly string[], log: string[]): (line: string) => void {
  const view = logView();
  for (const secret of secrets) view(`::add-mask::${secret}`);
  return line => {
    const shown = view(line);
    if (shown !== undefined) log.push(shown);
  };
}

function openMachine(
  { service, repository }: RunOptions,
  { folder, keys, actions }: Surroundings,
): Omit<ReturnType<WorkflowOptions['openMachine']>, 'log'> {
  const home = mkdtempSync(path.join(folder, 'machine-'));
  const [workspace, temp] = [path.join(home, 'work'), path.join(home, 'temp')];
  for (const made of [workspace, temp]) mkdirSync(made);
  const checkout: Play = async () => writeRepository(workspace, repository);
  const tools = [path.join(folder, 'tools'), path.dirname(process.execPath), process.env['PATH']];
  return {
    workspace,
    temp,
    machine: {
      HOME: home,
      PATH: tools.join(path.delimiter),
      SANDBOXES: path.join(folder, 'sandboxes'),
      npm_config_offline: 'true',
      ...(service && wayTo(service, keys)),
    },
    findAction: uses => (uses === 'actions/checkout@v7' ? checkout : actionOf(uses, actions)),
  };
}

/** The variables that lead the action and curl to a service. */
function wayTo({ proxy }: Service, { certFile }: Keys): Readonly<Record<string, string>> {
  return {
    HTTPS_PROXY: `http://${proxy.address}`,
    NODE_EXTRA_CA_CERTS: certFile,
    CURL_CA_BUNDLE: certFile,
  };
}

function actionOf(uses: string, played: Actions): string | Play {
  const own = OWN.exec(uses);
  const found = own === null ? played.get(uses) : path.join(PROJECT, own.groups?.['folder'] ?? '');
  return found ?? assert.fail(`${uses} is not known here`);
}
