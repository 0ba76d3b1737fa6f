import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Figures } from '../gate/metrics.ts';
import type { RawInputs } from '../inputs/parsers.ts';
import type { Observation, SampleRecord } from '../stats/sampling.ts';
import { isJson, parseFields, stringFieldsOf } from '../text/json.ts';

/** The sampler's own clock tells when it was asked to end: that of another step may differ. */
export type MonitorEnd = { readonly requestedAt: number } | { readonly early: string };

/** A monitor's files, which never contain secret inputs. */
const FILES = {
  inputs: 'inputs.json',
  /** A line for each observation. */
  record: 'record.jsonl',
  /** The last response, redacted. */
  response: 'response.json',
  /** Asks the sampler to stop. */
  stop: 'stop',
  /** Why the sampler stopped. A killed one leaves no such file. */
  end: 'end',
  /** What the sampler writes to stderr. */
  errors: 'errors.txt',
  judged: 'judged',
} as const;

export function monitorFile(directory: string, name: keyof typeof FILES): string {
  return path.join(directory, FILES[name]);
}

export function saveInputs(directory: string, inputs: RawInputs): void {
  write(directory, 'inputs', JSON.stringify(inputs));
}

export function loadInputs(directory: string): RawInputs | undefined {
  const json = readIfExists(directory, 'inputs');
  // Only a step that was killed, or a full disk, leaves an incomplete file.
  return isJson(json) ? stringFieldsOf(JSON.parse(json)) : undefined;
}

export function requestStop(directory: string): void {
  write(directory, 'stop', '');
}

export function markJudged(directory: string): void {
  write(directory, 'judged', '');
}

export function isJudged(directory: string): boolean {
  return existsSync(monitorFile(directory, 'judged'));
}

export function saveObservation(directory: string, observation: Observation): void {
  const file = monitorFile(directory, 'record');
  appendFileSync(file, `${JSON.stringify(observation)}\n`, { mode: 0o600 });
}

export function saveResponse(directory: string, response: object): void {
  write(directory, 'response', JSON.stringify(response));
}

export function saveEnd(directory: string, end: MonitorEnd): void {
  write(directory, 'end', JSON.stringify(end));
}

export function hasEnded(directory: string): boolean {
  return readIfExists(directory, 'end') !== '';
}

/** Reads the record, skipping the partial line that a killed sampler may leave. */
export function readRecord(
  directory: string,
): SampleRecord & { readonly requestedAt: number | undefined } {
  const died = `the process that took the samples was killed or hangs${samplerErrors(directory)}`;
  const { requestedAt, early = died } = parseFields(readIfExists(directory, 'end'));
  const isRequested = typeof requestedAt === 'number';
  return {
    observations: readIfExists(directory, 'record').split('\n').flatMap(decodeObservation),
    response: parseFields(readIfExists(directory, 'response')),
    end: isRequested ? 'requested' : { early: String(early) },
    requestedAt: isRequested ? requestedAt : undefined,
  };
}

/** Returns what the sampler has written to stderr as ` (it wrote: …)`, or nothing. */
export function samplerErrors(directory: string): string {
  const text = readIfExists(directory, 'errors').trim().replace(/\s+/g, ' ');
  return text === '' ? '' : ` (it wrote: ${text})`;
}

function decodeObservation(line: string): Observation[] {
  const { kind, askedAt, at, message, figures } = parseFields(line);
  if (typeof askedAt !== 'number' || typeof at !== 'number') return [];
  if (kind === 'failure') return [{ kind, askedAt, at, message: String(message) }];
  return isFigures(figures) ? [{ kind: 'sample', askedAt, at, figures }] : [];
}

function isFigures(value: unknown): value is Figures {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every(figure => typeof figure === 'number');
}

function write(directory: string, name: keyof typeof FILES, text: string): void {
  writeFileSync(monitorFile(directory, name), text, { mode: 0o600 });
}

function readIfExists(directory: string, name: keyof typeof FILES): string {
  const file = monitorFile(directory, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
