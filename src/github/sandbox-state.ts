import { hash, randomUUID } from 'node:crypto';
import { getState, saveState, setOutput, setSecret } from '@actions/core';
import type { RawInputs } from '../inputs/fields.ts';
import type { Sandbox } from '../sandbox/api.ts';
import { parseFieldsOf, textsOf } from '../text/json.ts';
import { readInputs } from './runner.ts';

const STATE = 'sandbox';

/** What the main step keeps for the post step, which may get other inputs. */
const KEPT_INPUTS = ['api-url', 'retries', 'timeout'] as const;

/** Metadata by which a sandbox can be traced to this very step. */
export function traceOfStep(): Readonly<Record<string, string>> {
  const trace = {
    'github-repository': process.env['GITHUB_REPOSITORY'],
    'github-run-id': process.env['GITHUB_RUN_ID'],
    'github-job': process.env['GITHUB_JOB'],
    'sandbox-sync-id': randomUUID(),
  };
  const known = Object.entries(trace).flatMap(([key, value]) => (value ? [[key, value]] : []));
  return Object.fromEntries(known);
}

/** A sandbox that the post step is to delete. */
export interface KeptSandbox {
  readonly id: string;
  /** When it ends by itself, in milliseconds since 1970. */
  readonly endsAt: number;
  readonly inputs: RawInputs;
  /** False if the runner handed the post step another API key, or none. */
  readonly hasKey: boolean;
}

/** Tells the post step of a sandbox, but not the API key: only a digest to recognize it by. */
export function keepSandbox(id: string, endsAt: number, raw: RawInputs): void {
  const inputs = Object.fromEntries(KEPT_INPUTS.map(name => [name, raw[name] ?? '']));
  saveState(STATE, { ...inputs, id, endsAt, key: keyDigest(raw) });
}

/** The sandbox that this post step is to delete, if any. */
export function keptSandbox(): KeptSandbox | undefined {
  const { id, endsAt, key, ...kept } = textsOf(parseFieldsOf(getState(STATE)));
  if (id === undefined) return undefined;
  const inputs = { ...readInputs('sandbox-end'), ...kept };
  return { id, endsAt: Number(endsAt), inputs, hasKey: keyDigest(inputs) === key };
}

function keyDigest(raw: RawInputs): string {
  const key = (raw['api-key'] ?? '').trim();
  return hash('sha256', key).slice(0, 16);
}

/** Masks the token of a sandbox, and sets the outputs. */
export function publishSandbox({ id, token, domain }: Sandbox): void {
  if (token !== undefined) setSecret(token);
  setOutput('id', id);
  if (token !== undefined) setOutput('token', token);
  if (domain !== undefined) setOutput('domain', domain);
}
