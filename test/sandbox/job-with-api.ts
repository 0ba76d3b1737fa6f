import assert from 'node:assert/strict';
import path from 'node:path';
import type { Exchange } from '../../dev/agent/agent.ts';
import { type Answer, jsonAnswer } from '../../dev/agent/answer.ts';
import { type ServiceOptions, startService } from '../../dev/agent/service.ts';
import type { StepEnd } from '../../dev/runner/step.ts';
import type { ActionName } from '../../src/inputs/actions.ts';
import * as e2e from '../e2e/run-action.ts';
import { openRunner } from '../e2e/test-job.ts';

export const API_KEY = 'e2b_the-key-of-the-account';

const RUNNER = { GITHUB_REPOSITORY: 'octo/app', GITHUB_RUN_ID: '42', GITHUB_JOB: 'test' };

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
  const runner = openRunner();
  const plane = await startService({
    apiKey: API_KEY,
    folder: path.join(runner.directory, 'sandboxes'),
    domain: 'e2b.app',
    intercept: failInTurn(failures, intercept),
    ...options,
  });

  /** Runs the main step of an action or, given the end of that, its post step. */
  async function runAction(task: ActionName, inputs: e2e.Inputs, more: e2e.RunOptions = {}) {
    const env = { ...RUNNER, ...more.env };
    const end = await e2e.runAction(runner, inputs, { ...more, task, env });
    assert.equal(end.stderr, '');
    return end;
  }

  /** Runs the action `sandbox`, which creates a sandbox unless given a `sandbox-id`. */
  function runSandbox(inputs: e2e.Inputs = {}, more: e2e.RunOptions = {}) {
    const template = 'sandbox-id' in inputs ? '' : 'base';
    const api = { 'api-url': plane.url, 'api-key': API_KEY };
    return runAction('sandbox', { ...api, template, ...inputs }, more);
  }

  return {
    plane,
    ...runner,
    runAction,
    runSandbox,
    async [Symbol.asyncDispose]() {
      await plane[Symbol.asyncDispose]();
      await runner[Symbol.asyncDispose]();
    },
  };
}

/** Returns the requests to the API, with IDs replaced by `ID`. */
export function apiRequests({ plane }: JobWithApi): string[] {
  const ids = new RegExp(plane.created.map(({ id }) => id).join('|') || '(?!)', 'g');
  return plane.requests.map(request => request.replaceAll(ids, 'ID'));
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
