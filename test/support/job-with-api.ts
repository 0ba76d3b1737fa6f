import assert from 'node:assert/strict';
import type { ServiceOptions } from '../../dev/agent/service.ts';
import type { ActionName } from '../../src/inputs/inputs.ts';
import { type FaultAction, statusFault } from './faults.ts';
import * as e2e from './run-action.ts';
import { openEmptyJob } from './test-job.ts';

export const API_KEY = 'e2b_the-key-of-the-account';

const RUNNER = {
  GITHUB_REPOSITORY: 'octo/app',
  GITHUB_RUN_ID: '42',
  GITHUB_RUN_ATTEMPT: '3',
  GITHUB_JOB: 'test',
};

type JobWithApi = Awaited<ReturnType<typeof openJobWithApi>>;

/** A status to refuse with, 0 to let the request pass, or another fault. */
export type ApiFault = number | FaultAction;

interface ApiOptions
  extends Partial<Pick<ServiceOptions, 'tls' | 'domain' | 'headerPrefixes' | 'runCommands'>> {
  /** Faults of the first API requests, whatever their operation. */
  readonly faults?: readonly ApiFault[];
}

export async function openJobWithApi({ faults = [], ...options }: ApiOptions = {}) {
  const job = await openEmptyJob({
    apiKey: API_KEY,
    domain: 'e2b.app',
    faults: faults.map(fault => ({ on: 'api', times: 1, do: toAction(fault) })),
    ...options,
  });

  /** Runs an action's main step, or its post step given the end of the main step. */
  async function runAction(task: ActionName, inputs: e2e.Inputs, more: e2e.RunOptions = {}) {
    const env = { ...RUNNER, ...more.env };
    const end = await e2e.runAction(job, inputs, { ...more, task, env });
    assert.equal(end.stderr, '');
    return end;
  }

  /** Runs the action `sandbox`. Creates a sandbox unless `sandbox-id` is given. */
  function runSandbox(inputs: e2e.Inputs = {}, more: e2e.RunOptions = {}) {
    const template = 'sandbox-id' in inputs ? '' : 'base';
    const api = { 'api-url': job.service.url, 'api-key': API_KEY };
    return runAction('sandbox', { ...api, template, ...inputs }, more);
  }

  return { ...job, runAction, runSandbox };
}

function toAction(fault: ApiFault): FaultAction | undefined {
  if (typeof fault !== 'number') return fault;
  return fault === 0 ? undefined : statusFault(fault, '{"message":"Not now"}');
}

/** Returns the requests to the API, with IDs replaced by `ID`. */
export function apiRequests({ service }: JobWithApi): string[] {
  const ids = new RegExp(service.created.map(({ id }) => id).join('|') || '(?!)', 'g');
  return service.requests.map(request => request.replaceAll(ids, 'ID'));
}

/** Returns the metadata that a creation with this body must contain. */
export function jobMetadataIn(body: unknown): Readonly<Record<string, string>> {
  const id = /"sandbox-sync-id":"([\da-f-]{36})"/.exec(JSON.stringify(body))?.[1];
  return {
    'github-repository': 'octo/app',
    'github-run-id': '42',
    'github-run-attempt': '3',
    'github-job': 'test',
    'sandbox-sync-id': id ?? 'missing',
  };
}
