import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { getState, saveState, setOutput, setSecret } from '@actions/core';
import { DEFAULT_PORT, JOB_HEADER_PREFIX, type JobSandbox } from '../inputs/connection.ts';
import { inputNames } from '../inputs/inputs.ts';
import type { RawInputs } from '../inputs/parsers.ts';
import type { RunningSandbox } from '../sandbox/sandbox.ts';
import type { Sandbox } from '../sandbox/sandbox-api.ts';
import { parseFields, stringFieldsOf } from '../text/json.ts';
import { readInputs, tempDirectory } from './runner.ts';

export function jobMetadata(): Readonly<Record<string, string>> {
  const { GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_JOB } = process.env;
  return {
    'github-repository': GITHUB_REPOSITORY ?? '',
    'github-run-id': GITHUB_RUN_ID ?? '',
    'github-job': GITHUB_JOB ?? '',
    'sandbox-sync-id': randomUUID(),
  };
}

export function saveDeletion({ id, endsAt }: RunningSandbox, raw: RawInputs): void {
  // In nested composite actions, a post step gets the wrong inputs (actions/runner#3514), so save
  // all but the secret API key.
  const names = inputNames('sandbox-end').filter(name => name !== 'api-key');
  const inputs = Object.fromEntries(names.map(name => [name, raw[name] ?? '']));
  saveState('sandbox', { id, endsAt, inputs });
}

export function loadDeletion() {
  const { id, endsAt, inputs } = parseFields(getState('sandbox'));
  if (typeof id !== 'string' || typeof endsAt !== 'number') return undefined;
  return {
    sandbox: { id, endsAt },
    inputs: { ...readInputs('sandbox-end'), ...stringFieldsOf(inputs) },
  };
}

const SANDBOX_PREFIX = 'sandbox-sync-sandbox-';

/** Masks the token and sets the outputs. If the URL is known, saves the sandbox for later steps. */
export function publishSandbox(sandbox: JobSandbox & Pick<Sandbox, 'domain'>): void {
  const { id, token, domain = '', baseUrl, endsAt } = sandbox;
  setSecret(token);
  const url = baseUrl.replace('{port}', String(DEFAULT_PORT)).replace('{sandbox-id}', id);
  const outputs = { id, token, domain, 'base-url': url, 'header-prefix': JOB_HEADER_PREFIX };
  for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
  if (baseUrl === '') return;
  // The name contains the ID, so a later step that connects to the same sandbox replaces its token.
  const file = path.join(tempDirectory(), `${SANDBOX_PREFIX}${id}.json`);
  saveState('job-sandbox', file);
  writeFileSync(file, JSON.stringify({ id, token, baseUrl, endsAt }), { mode: 0o600 });
}

/** Loads the sandboxes that earlier steps of this job saved, and masks their tokens. */
export function loadJobSandboxes(): JobSandbox[] {
  const sandboxes = filesInTemp(SANDBOX_PREFIX).flatMap(file => {
    const { id, token, baseUrl, endsAt } = stringFieldsOf(parseFields(readFileSync(file, 'utf8')));
    return id && token && baseUrl ? [{ id, token, baseUrl, endsAt: Number(endsAt) }] : [];
  });
  for (const { token } of sandboxes) setSecret(token);
  return sandboxes;
}

export function removeJobSandbox(): void {
  const file = getState('job-sandbox');
  if (file !== '') rmSync(file, { force: true });
}

const MONITOR_PREFIX = 'sandbox-sync-monitor-';

export function createMonitorDirectory(): string {
  const directory = mkdtempSync(path.join(tempDirectory(), MONITOR_PREFIX));
  saveState('directory', directory);
  setOutput('monitor', path.basename(directory));
  return directory;
}

export function loadMonitorDirectory(): string | undefined {
  return getState('directory') || undefined;
}

export function findMonitorDirectories(): string[] {
  return filesInTemp(MONITOR_PREFIX);
}

function filesInTemp(prefix: string): string[] {
  const directory = tempDirectory();
  const names = readdirSync(directory).filter(name => name.startsWith(prefix));
  return names.sort().map(name => path.join(directory, name));
}
