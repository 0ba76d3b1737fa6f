import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from '../../dev/agent/control-plane.ts';
import { runStep, type Step, type StepEnd } from '../../dev/runner/step.ts';
import { type Result, resultOf } from '../action/results.ts';

export const API_KEY = 'e2b_the-key-of-the-account';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const ACTION = path.join(PROJECT, 'sandbox');

/** The metadata of each run, except the ID that is always new. */
export const TRACE = {
  'github-repository': 'octo/app',
  'github-run-id': '42',
  'github-job': 'test',
};

export interface Service extends AsyncDisposable {
  readonly plane: ControlPlane;
  /** The runner's places. */
  readonly places: Pick<Step, 'workspace' | 'temp'>;
  /** Runs the built action, or its post step given the end of its main step. */
  readonly run: (inputs?: Step['inputs'], options?: Options) => Promise<Result>;
}

type Options = Pick<Step, 'env' | 'onLine' | 'onStart'> & { readonly post?: StepEnd };

/** Starts a service. By default, it names no domain, so the action does not wait for an agent. */
export async function openService(options: Partial<ControlPlaneOptions> = {}): Promise<Service> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandbox-action-'));
  const places = { workspace: path.join(folder, 'work'), temp: path.join(folder, 'temp') };
  for (const place of Object.values(places)) mkdirSync(place);
  const plane = await startControlPlane({ apiKey: API_KEY, folder, ...options });
  return {
    plane,
    places,
    async run(inputs = {}, { env, ...more } = {}) {
      const end = await runStep({
        ...places,
        action: ACTION,
        inputs: { 'api-url': plane.url, 'api-key': API_KEY, wait: 'false', ...inputs },
        env: {
          GITHUB_REPOSITORY: 'octo/app',
          GITHUB_RUN_ID: '42',
          GITHUB_JOB: 'test',
          ...env,
        },
        ...more,
      });
      assert.equal(end.stderr, '');
      return resultOf(end);
    },
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

/** Everything that a run wrote, without mask commands. */
export function shownBy({ everything }: Result): string {
  return everything.replaceAll(/^::add-mask::.*$/gm, '');
}
