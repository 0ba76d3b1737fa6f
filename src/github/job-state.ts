import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getInput, getState, saveState, setOutput, setSecret } from '@actions/core';
import { fillPlaceholders, type JobSandbox, secretsIn } from '../inputs/connection.ts';
import { INPUTS, type InputParsers } from '../inputs/inputs.ts';
import { type RawInputs, rawValue } from '../inputs/parsers.ts';
import { type Cleanup, SYNC_ID } from '../sandbox/sandbox.ts';
import type { Sandbox } from '../sandbox/sandbox-api.ts';
import { parseFields, stringFieldsOf } from '../text/json.ts';

/** Reads the step's inputs, masking secrets before anything can be logged. */
export function readInputs(parsers: InputParsers): RawInputs {
  const names = Object.keys(parsers);
  const raw = Object.fromEntries(
    names.map(name => [name, getInput(name, { trimWhitespace: false })]),
  );
  for (const secret of secretsIn(raw)) setSecret(secret);
  return raw;
}

export function jobMetadata(): Readonly<Record<string, string>> {
  const { GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT, GITHUB_JOB } = process.env;
  return {
    'github-repository': GITHUB_REPOSITORY ?? '',
    'github-run-id': GITHUB_RUN_ID ?? '',
    'github-run-attempt': GITHUB_RUN_ATTEMPT ?? '',
    'github-job': GITHUB_JOB ?? '',
    [SYNC_ID]: randomUUID(),
  };
}

const SHARED =
  'SHA REF REF_NAME REF_TYPE REPOSITORY REPOSITORY_OWNER RUN_ID RUN_NUMBER RUN_ATTEMPT WORKFLOW JOB ACTOR EVENT_NAME HEAD_REF BASE_REF SERVER_URL';

/**
 * Returns what a command in the sandbox may know about the job: no token and no path. Without
 * GITHUB_ACTIONS, since tools such as vitest would then print commands for the runner.
 */
export function sharedVariables(): Readonly<Record<string, string>> {
  const names = SHARED.split(' ').map(name => `GITHUB_${name}`);
  return Object.fromEntries(names.map(name => [name, process.env[name] ?? '']));
}

export function saveCleanup(cleanup: Cleanup, raw: RawInputs): void {
  // In nested composite actions, a post step gets the wrong inputs (actions/runner#3514), so save
  // all but the API key. Headers may be secret too, but the API may refuse a deletion without them.
  const names = Object.keys(INPUTS['sandbox-end']).filter(name => name !== 'api-key');
  const inputs = Object.fromEntries(names.map(name => [name, rawValue(raw, name)]));
  saveState('sandbox', { ...cleanup, inputs });
}

export function loadCleanup() {
  const { endsAt, isCreated, ...state } = parseFields(getState('sandbox'));
  const { id, unconfirmedCreation } = stringFieldsOf(state);
  const saved = stringFieldsOf(state['inputs']);
  const own = readInputs(INPUTS['sandbox-end']);
  const isOwn = (name: string) => rawValue(own, name) === saved[name];
  const hasOwnInputs = ['template', 'sandbox-id', 'api-url'].every(isOwn);
  // Unlike the saved value, the step's own `delete` can depend on how the job ended.
  const choices = [hasOwnInputs ? own['delete'] : '', saved['delete'], String(isCreated)];
  const choice = choices.find(each => /^\s*(true|false)\s*$/i.test(each ?? ''));
  return {
    cleanup: { id, endsAt: Number(endsAt), isCreated: isCreated === true, unconfirmedCreation },
    shouldDelete: /true/i.test(choice ?? ''),
    inputs: { ...own, ...saved },
  };
}

const SANDBOX_PREFIX = 'sandbox-sync-sandbox-';

/** Masks the token and sets the outputs. If the URL is known, saves the sandbox for later steps. */
export function publishSandbox(sandbox: JobSandbox & Pick<Sandbox, 'domain'>): void {
  const { id, token, domain = '', baseUrl, headerPrefix } = sandbox;
  setSecret(token);
  const { 'base-url': url } = fillPlaceholders({ 'sandbox-id': id, 'base-url': baseUrl });
  const outputs = { id, token, domain, 'base-url': url, 'header-prefix': headerPrefix };
  for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
  if (baseUrl === '') return;
  // The name contains the ID, so a later step that connects to the same sandbox replaces its token.
  const file = path.join(tempDirectory(), `${SANDBOX_PREFIX}${id}.json`);
  saveState('job-sandbox', file);
  // Rename a whole file, since a step that runs at the same time may read it.
  const newFile = path.join(tempDirectory(), `new-${path.basename(file)}`);
  writeFileSync(newFile, JSON.stringify(sandbox), { mode: 0o600 });
  renameSync(newFile, file);
}

export function loadJobSandboxes(): JobSandbox[] {
  const sandboxes = filesInTemp(SANDBOX_PREFIX).flatMap(file => {
    const fields = parseFields(readFileSync(file, 'utf8'));
    const { id, token, baseUrl, headerPrefix } = stringFieldsOf(fields);
    if (!id || !token || !baseUrl || !headerPrefix) return [];
    const endsAt = typeof fields['endsAt'] === 'number' ? fields['endsAt'] : undefined;
    return [{ id, token, baseUrl, headerPrefix, endsAt }];
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

export function tempDirectory(): string {
  return path.resolve(process.env['RUNNER_TEMP'] || tmpdir());
}
