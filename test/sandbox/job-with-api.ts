import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Exchange } from '../../dev/agent/agent.ts';
import { type Answer, jsonAnswer } from '../../dev/agent/answer.ts';
import { type ServiceOptions, startService } from '../../dev/agent/service.ts';
import { runStep, type Step, type StepEnd } from '../../dev/runner/step.ts';

export const API_KEY = 'e2b_the-key-of-the-account';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const RUNNER = { GITHUB_REPOSITORY: 'octo/app', GITHUB_RUN_ID: '42', GITHUB_JOB: 'test' };

export type Inputs = Step['inputs'];
type Options = Pick<Step, 'env' | 'onLine' | 'onStart'> & { readonly post?: StepEnd };

/** A job that runs the built actions, and the service that they use. */
export type JobWithApi = Awaited<ReturnType<typeof openJobWithApi>>;

/** A status to refuse a request with, 0 to let it pass, or a worse failure. */
export type Failure =
  | number
  | {
      /** Whether to do first what was asked. */
      readonly acts?: boolean;
      /** What to wait for before the answer. */
      readonly waits?: () => Promise<unknown>;
      /** The answer, or a closed connection. Default: the true answer. */
      readonly answer?: Answer | 'reset';
    };

/** Fails the first requests to the API like this, whatever they ask. */
function failInTurn(
  failures: readonly Failure[],
  intercept: Intercept = ({ perform }) => perform(),
): Intercept {
  const left = [...failures];
  return async exchange => {
    const { to, response, perform } = exchange;
    const failure = to === 'api' ? (left.shift() ?? 0) : 0;
    if (failure === 0) return await intercept(exchange);
    if (typeof failure === 'number') return jsonAnswer({ message: 'Not now' }, failure);
    await failure.waits?.();
    const truth = failure.answer === undefined || failure.acts ? await perform() : undefined;
    if (failure.answer !== 'reset') return failure.answer ?? truth;
    return void response.destroy();
  };
}

type Intercept = (exchange: Exchange) => Promise<Answer | undefined>;

interface ApiOptions extends Partial<ServiceOptions> {
  readonly failures?: readonly Failure[];
}

export async function openJobWithApi({ failures = [], intercept, ...options }: ApiOptions = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandbox-action-'));
  const places = { workspace: path.join(folder, 'work'), temp: path.join(folder, 'temp') };
  for (const place of Object.values(places)) mkdirSync(place);
  const plane = await startService({
    apiKey: API_KEY,
    folder,
    domain: 'e2b.app',
    intercept: failInTurn(failures, intercept),
    ...options,
  });

  /** Runs the main step of an action or, given the end of that, its post step. */
  async function runAction(action: string, inputs: Inputs, { env, ...more }: Options = {}) {
    const step = { ...places, ...more, action: path.join(PROJECT, action), inputs };
    const end = await runStep({ ...step, env: { ...RUNNER, ...env } });
    assert.equal(end.stderr, '');
    return end;
  }

  /** Runs the action `sandbox`, which creates a sandbox unless given a `sandbox-id`. */
  function runSandbox(inputs: Inputs = {}, more: Options = {}) {
    const template = 'sandbox-id' in inputs ? '' : 'base';
    const api = { 'api-url': plane.url, 'api-key': API_KEY };
    return runAction('sandbox', { ...api, template, ...inputs }, more);
  }

  return {
    plane,
    ...places,
    runAction,
    runSandbox,
    async [Symbol.asyncDispose]() {
      await plane[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the requests to the API, with IDs replaced by `ID`. */
export function apiRequests({ plane }: JobWithApi): string[] {
  const ids = new RegExp(plane.created.map(({ id }) => id).join('|') || '(?!)', 'g');
  return plane.requests.map(request => request.replaceAll(ids, 'ID'));
}

/** Returns the messages of all annotations of a level. */
export function annotations({ stdout }: StepEnd, level: 'error' | 'warning'): string {
  const lines = stdout.split('\n').filter(line => line.startsWith(`::${level}`));
  return lines.map(line => line.replace(/^.*?::.*?::/, '').replaceAll('%0A', '\n')).join('\n');
}

/** Returns everything that a step wrote, without mask commands. */
export function visibleOutput({ stdout, outputs, state, env, summary }: StepEnd): string {
  const log = stdout.replaceAll(/^::add-mask::.*$/gm, '');
  return [log, JSON.stringify([outputs, state, env]), summary].join('\n');
}

/** Returns the metadata that the action must add to a creation with this body. */
export function jobMetadataIn(body: unknown): Readonly<Record<string, string>> {
  const id = /"sandbox-sync-id":"([\da-f-]{36})"/.exec(JSON.stringify(body))?.[1];
  return {
    'github-repository': 'octo/app',
    'github-run-id': '42',
    'github-job': 'test',
    'sandbox-sync-id': id ?? 'missing',
  };
}
