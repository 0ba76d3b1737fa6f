import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Figures } from '../gate/metrics.ts';
import type { RawInputs } from '../inputs/parsers.ts';
import type { Observation, SampleRecord } from '../stats/sampling.ts';
import { parseFields, parseJson, stringFieldsOf } from '../text/json.ts';

/** A monitor's files, which never contain secret inputs. */
const FILES = {
  inputs: 'inputs.json',
  /** A line for each observation. */
  record: 'record.jsonl',
  /** The last response, redacted. */
  response: 'response.json',
  /** Asks the sampler to stop. */
  stop: 'stop',
  /** When the sampler was asked to stop, or why it ended earlier. A killed one leaves no file. */
  end: 'end',
  /** What the sampler writes to stderr. */
  errors: 'errors.txt',
  judged: 'judged',
} as const;

type FileName = keyof typeof FILES;

export function monitorFile(directory: string, name: FileName): string {
  return path.join(directory, FILES[name]);
}

/** Writes an object as JSON, or else an empty file, which even a full disk has room for. */
export function saveFile(directory: string, name: FileName, content?: object): void {
  const text = content === undefined ? '' : JSON.stringify(content);
  writeFileSync(monitorFile(directory, name), text, { mode: 0o600 });
}

export function hasFile(directory: string, name: FileName): boolean {
  return existsSync(monitorFile(directory, name));
}

export function loadInputs(directory: string): RawInputs | undefined {
  // Only a step that was killed, or a full disk, leaves an incomplete file.
  const inputs = parseJson(readIfExists(directory, 'inputs'));
  return inputs === undefined ? undefined : stringFieldsOf(inputs);
}

export function saveSample(
  directory: string,
  { observation, response }: { readonly observation: Observation; readonly response?: object },
): void {
  const line = `${JSON.stringify(observation)}\n`;
  appendFileSync(monitorFile(directory, 'record'), line, { mode: 0o600 });
  if (response !== undefined) saveFile(directory, 'response', response);
}

export function hasEnded(directory: string): boolean {
  return readIfExists(directory, 'end') !== '';
}

interface MonitorRecord extends SampleRecord {
  /** By the sampler's own clock, since that of another step may differ. */
  readonly requestedAt: number | undefined;
}

/** Reads the record, skipping the partial line that a killed sampler may leave. */
export function readRecord(directory: string): MonitorRecord {
  const died = `the process that took the samples was killed or hangs${samplerErrors(directory)}`;
  const { requestedAt, endReason = died } = parseFields(readIfExists(directory, 'end'));
  const isRequested = typeof requestedAt === 'number';
  return {
    observations: readIfExists(directory, 'record').split('\n').flatMap(decodeObservation),
    response: parseFields(readIfExists(directory, 'response')),
    endReason: isRequested ? undefined : String(endReason),
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

function readIfExists(directory: string, name: FileName): string {
  return hasFile(directory, name) ? readFileSync(monitorFile(directory, name), 'utf8') : '';
}
