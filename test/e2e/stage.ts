import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from '../../dev/agent/control-plane.ts';
import { makeKeys } from '../../dev/agent/keys.ts';
import { type FindAction, type Play, runJob, type StepResult } from '../../dev/runner/job.ts';
import { readWorkflow } from '../../dev/runner/workflow-file.ts';
import { openProxy } from '../proxy.ts';
import { filesBelow } from '../system.ts';
import { METRICS } from './agent-answers.ts';
import { PROJECT } from './run-action.ts';
import { type Files, writeFiles } from './test-job.ts';

const API_KEY = 'key-of-the-service';
const BOX_TOKEN = 'token-of-box';

/** What the repository's build produces by default. */
export const SITE: Files = {
  'index.html': '<!doctype html>\n',
  'assets/app.js': 'start();\n',
  'assets/logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0x0d, 0x0a]),
  'bin/serve': '#!/bin/sh\n',
};

/**
 * Where examples run: a machine for each job, the actions of GitHub, played, and a service of
 * sandboxes behind every host name.
 */
export interface Stage extends AsyncDisposable {
  readonly plane: ControlPlane;
  /** Of each attested file, its hash and name. */
  readonly attested: Map<string, string>;
  /** Runs the jobs of an example, one after the other, on what the build makes of this site. */
  run(example: string, repository?: { site?: Files; test?: string }): Promise<Run>;
  /** The files below `app` in a sandbox. */
  app(id: string): Files;
}

export interface Run {
  readonly steps: readonly StepResult[];
  readonly succeeded: boolean;
  readonly log: string;
}

/** Opens a stage with a sandbox named box. Disposing of it removes everything on it. */
export async function openStage(options: Partial<ControlPlaneOptions> = {}): Promise<Stage> {
  const folder = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'examples-')));
  const held = new AsyncDisposableStack();
  held.defer(() => rmSync(folder, { recursive: true, force: true }));
  const keys = held.use(makeKeys('DNS:*.example.com,DNS:*.e2b.app'));
  const sandboxes = path.join(folder, 'sandboxes');
  const agents = { metrics: () => METRICS, ...options.agents };
  const plane = held.use(
    await startControlPlane({ apiKey: API_KEY, tls: keys, folder: sandboxes, ...options, agents }),
  );
  const proxy = held.use(await openProxy({ tunnelTo: plane.url }));
  await plane.create('box', BOX_TOKEN);
  const attested: Stage['attested'] = new Map();
  const tools = path.join(folder, 'tools');
  mkdirSync(tools);
  writeFileSync(path.join(tools, 'npx'), NPX, { mode: 0o755 });
  const machine = {
    HOME: folder,
    PATH: [tools, path.dirname(process.execPath), process.env['PATH']].join(path.delimiter),
    SANDBOXES: sandboxes,
    npm_config_offline: 'true',
    HTTPS_PROXY: `http://${proxy.address}`,
    NODE_EXTRA_CA_CERTS: keys.certFile,
  };
  let runs = 0;
  return {
    plane,
    attested,
    async run(example, repository = {}) {
      const contexts = {
        secrets: { E2B_API_KEY: API_KEY, SANDBOX_TOKEN: BOX_TOKEN },
        vars: { SANDBOX_ID: 'box' },
        github: { run_id: `${++runs}`, run_attempt: '1' },
      };
      const findAction = playing(folder, attested, repository);
      return await runJobs(example, { folder, machine, contexts, findAction });
    },
    app(id) {
      const app = path.join(sandboxes, id, 'home/user/app');
      return existsSync(app) ? filesBelow(app) : {};
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

interface Surroundings {
  readonly folder: string;
  readonly machine: Readonly<Record<string, string>>;
  readonly contexts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly findAction: FindAction;
}

async function runJobs(example: string, around: Surroundings): Promise<Run> {
  const log: string[] = [];
  const steps: StepResult[] = [];
  const needs: Record<string, object> = {};
  for (const job of await readWorkflow(path.join(PROJECT, 'examples', example))) {
    const home = mkdtempSync(path.join(around.folder, 'machine-'));
    const [workspace, temp] = [path.join(home, 'work'), path.join(home, 'temp')];
    for (const place of [workspace, temp]) mkdirSync(place);
    const contexts = { ...around.contexts, needs };
    const end = await runJob(job, {
      ...around,
      workspace,
      temp,
      contexts,
      log: line => void log.push(line),
    });
    steps.push(...end.results);
    needs[job.name] = { outputs: end.outputs };
    if (end.results.some(({ conclusion }) => conclusion === 'failure')) break;
  }
  const shown = log.filter(line => !line.startsWith('::add-mask::')).join('\n');
  for (const secret of [API_KEY, BOX_TOKEN])
    assert.ok(!shown.includes(secret), 'the log holds a secret');
  const succeeded = steps.every(({ conclusion }) => conclusion !== 'failure');
  return { steps, succeeded, log: shown };
}

/** Finds this project's actions, and plays those of GitHub. */
function playing(
  folder: string,
  attested: Stage['attested'],
  { site = SITE, test = 'echo tested' }: { site?: Files; test?: string },
): FindAction {
  const caches = path.join(folder, 'caches');
  const played: Readonly<Record<string, Play>> = {
    async checkout(_, workspace) {
      const scripts = { build: 'cp -R site dist', test };
      const own = { name: 'app', version: '1.0.0' };
      const lock = { ...own, lockfileVersion: 3, packages: { '': own } };
      writeFiles(workspace, {
        'package.json': JSON.stringify({ ...own, scripts }),
        'package-lock.json': JSON.stringify(lock),
      });
      writeFiles(path.join(workspace, 'site'), site);
    },
    // The newest entry stands for the best match of restore-keys.
    async 'cache/restore'({ path: file = '' }, workspace) {
      if (existsSync(caches)) cpSync(caches, path.join(workspace, file), { recursive: true });
    },
    async 'cache/save'({ path: file = '' }, workspace) {
      rmSync(caches, { recursive: true, force: true });
      cpSync(path.join(workspace, file), caches, { recursive: true });
    },
    async 'upload-artifact'({ path: file = '' }) {
      assert.ok(existsSync(file), 'the artifact is missing');
    },
    async attest({ 'subject-checksums': file = '' }) {
      for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
        const [hash = '', name = ''] = line.split('  ');
        attested.set(name, hash);
      }
    },
  };
  return uses => {
    const [, own] = /^sandbox-sync\/sandbox-sync\/?([\w/]*)@v1$/.exec(uses) ?? [];
    if (own !== undefined) return path.join(PROJECT, own);
    const [, name = ''] = /^actions\/(.*)@v\d+$/.exec(uses) ?? [];
    return played[name] ?? assert.fail(`${uses} is not known here`);
  };
}

/**
 * Plays E2B's command line tool: runs a command in the home directory of a sandbox below
 * $SANDBOXES. Workflows find it as npx.
 */
const NPX = `#!/usr/bin/env bash
set -eu
[ "$1 $2 $3 $4" = '--yes @e2b/cli@2 sandbox exec' ] && [ "$E2B_API_KEY" = ${API_KEY} ]
shift 4
root="$SANDBOXES/$1"
cd "$root/home/user"
# The root of a sandbox is a folder here, so sha256sum finds its absolute paths below it.
if [[ "$2" =~ ^sha256sum\\ -c\\ --quiet\\ (/.*)$ ]]; then
  sed "s#  /#  $root/#" "$root\${BASH_REMATCH[1]}" | sha256sum -c --quiet
  exit
fi
exec bash -c "$2"
`;
