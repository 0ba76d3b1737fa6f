import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RawInputs } from '../inputs/parsers.ts';
import { decodeStats } from '../stats/sample.ts';
import { type SampleOrFailure, type SampleRecord, toRecord } from '../stats/samples.ts';
import { parseFields, stringFieldsOf } from '../text/json.ts';

/** Returns the paths of a monitor's files, which never contain secret inputs. */
export function monitorFiles(directory: string) {
  return {
    inputs: path.join(directory, 'inputs.json'),
    record: path.join(directory, 'record.jsonl'),
    /** Contains the PID of the sampler, which removes the file when it exits. */
    pid: path.join(directory, 'pid'),
    errors: path.join(directory, 'errors.txt'),
    stop: path.join(directory, 'stop'),
  };
}

export function saveInputs(directory: string, inputs: RawInputs): void {
  writeFileSync(monitorFiles(directory).inputs, JSON.stringify(inputs), { mode: 0o600 });
}

export function loadInputs(directory: string): RawInputs | undefined {
  const json = readIfExists(monitorFiles(directory).inputs);
  return json === '' ? undefined : stringFieldsOf(JSON.parse(json));
}

/** Returns true until the sampler exits normally. A killed one leaves its PID file behind. */
export function isSampling(directory: string): boolean {
  return existsSync(monitorFiles(directory).pid);
}

const STOPPED = 'stopped';

export function requestStop(directory: string): void {
  appendFileSync(monitorFiles(directory).stop, '', { mode: 0o600 });
}

export function markStopped(directory: string): void {
  writeFileSync(monitorFiles(directory).stop, STOPPED);
}

export function isStopped(directory: string): boolean {
  return readIfExists(monitorFiles(directory).stop) === STOPPED;
}

export function appendLine(
  directory: string,
  line: SampleOrFailure | { readonly end: string },
): void {
  // Leave out the figures, which the reader derives from the sample's JSON.
  const json = JSON.stringify({ ...line, figures: undefined });
  appendFileSync(monitorFiles(directory).record, `${json}\n`, { mode: 0o600 });
}

/** Reads the record, skipping the partial line that a killed sampler may leave. */
export function readRecord(directory: string): SampleRecord {
  const { record, errors } = monitorFiles(directory);
  const lines = readIfExists(record).split('\n').map(parseFields);
  const end = lines.map(line => line['end']).findLast(each => typeof each === 'string');
  return toRecord(lines.flatMap(decodeLine), end ?? findErrorLine(readIfExists(errors)));
}

function decodeLine({ at, json, failure }: ReturnType<typeof parseFields>): SampleOrFailure[] {
  if (typeof failure === 'string') return [{ failure }];
  const stats = typeof json === 'string' ? decodeStats(json) : undefined;
  return typeof at === 'number' && stats !== undefined ? [{ at, ...stats }] : [];
}

function findErrorLine(stderr: string): string | undefined {
  const lines = stderr.trim().split('\n');
  // After an uncaught error, Node prints its version last, so look for the line of the error.
  const line = lines.findLast(each => /^(FATAL ERROR|\w*Error)\b/.test(each)) ?? lines.at(-1);
  return line?.trim() || undefined;
}

function readIfExists(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
