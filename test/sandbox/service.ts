import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ControlPlaneOptions, startControlPlane } from '../../dev/agent/control-plane.ts';
import { runStep, type Step, type StepEnd } from '../../dev/runner/step.ts';

export const API_KEY = 'e2b_the-key-of-the-account';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const RUNNER = { GITHUB_REPOSITORY: 'octo/app', GITHUB_RUN_ID: '42', GITHUB_JOB: 'test' };

export type Inputs = Step['inputs'];
type Options = Pick<Step, 'env' | 'onLine' | 'onStart'> & { readonly post?: StepEnd };

/** A job in which the built actions run, and the service that they talk to. */
export type Service = Awaited<ReturnType<typeof openService>>;

export async function openService(options: Partial<ControlPlaneOptions> = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandbox-action-'));
  const places = { workspace: path.join(folder, 'work'), temp: path.join(folder, 'temp') };
  for (const place of Object.values(places)) mkdirSync(place);
  const plane = await startControlPlane({ apiKey: API_KEY, folder, ...options });

  /** Runs the action in a folder of the project; its post step, given the end of the main step. */
  async function use(action: string, inputs: Inputs, { env, ...more }: Options = {}) {
    const step = { ...places, ...more, action: path.join(PROJECT, action), inputs };
    const end = await runStep({ ...step, env: { ...RUNNER, ...env } });
    assert.equal(end.stderr, '');
    return end;
  }
  return {
    plane,
    ...places,
    use,
    /** Runs the action `sandbox`. */
    run: (inputs: Inputs = {}, more: Options = {}) =>
      use('sandbox', { 'api-url': plane.url, 'api-key': API_KEY, ...inputs }, more),
    async [Symbol.asyncDispose]() {
      await plane[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The requests to the API, with IDs replaced by ID. */
export function asked({ plane }: Service): string[] {
  const ids = new RegExp(plane.created.map(({ id }) => id).join('|') || '(?!)', 'g');
  return plane.requests.map(request => request.replaceAll(ids, 'ID'));
}

/** The messages of all annotations of a level. */
export function annotations({ stdout }: StepEnd, level: 'error' | 'warning'): string {
  const lines = stdout.split('\n').filter(line => line.startsWith(`::${level}`));
  return lines.map(line => line.replace(/^.*?::.*?::/, '').replaceAll('%0A', '\n')).join('\n');
}

/** Everything that a step wrote, without mask commands. */
export function shownBy({ stdout, outputs, state, env, summary }: StepEnd): string {
  const log = stdout.replaceAll(/^::add-mask::.*$/gm, '');
  return [log, JSON.stringify([outputs, state, env]), summary].join('\n');
}

/** The metadata that a creation must have besides the user's own. */
export function traceIn(body: unknown): Readonly<Record<string, string>> {
  const id = /"sandbox-sync-id":"([\da-f-]{36})"/.exec(JSON.stringify(body))?.[1];
  return {
    'github-repository': 'octo/app',
    'github-run-id': '42',
    'github-job': 'test',
    'sandbox-sync-id': id ?? 'missing',
  };
}
