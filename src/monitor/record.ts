import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RawInputs } from '../inputs/parsers.ts';
import type { Attempt, SampleRecord, SamplingEnd } from '../stats/samples.ts';
import { fieldsOf, parseFields, stringFieldsOf } from '../text/json.ts';

/** A monitor's files, which never contain secret inputs. */
const FILES = {
  inputs: 'inputs.json',
  /** A line for each attempt, and one for the end of sampling. */
  record: 'record.jsonl',
  /** The last response, redacted. */
  response: 'response.json',
  /** The PID of the sampler, which writes the file once it is ready, and removes it. */
  pid: 'pid',
  /** What the sampler exited with, if not 0. */
  exitCode: 'exit-code',
  errors: 'errors.txt',
  stop: 'stop',
} as const;

export function monitorFile(directory: string, name: keyof typeof FILES): string {
  return path.join(directory, FILES[name]);
}

export function saveInputs(directory: string, inputs: RawInputs): void {
  write(directory, 'inputs', JSON.stringify(inputs));
}

export function loadInputs(directory: string): RawInputs | undefined {
  const json = readIfExists(directory, 'inputs');
  return json === '' ? undefined : stringFieldsOf(JSON.parse(json));
}

/** Returns true until the sampler exits normally. A killed one leaves its PID file behind. */
export function hasPidFile(directory: string): boolean {
  return existsSync(monitorFile(directory, 'pid'));
}

const JUDGED = 'judged';

export function requestStop(directory: string): void {
  append(directory, 'stop', '');
}

export function markJudged(directory: string): void {
  write(directory, 'stop', JUDGED);
}

export function isJudged(directory: string): boolean {
  return readIfExists(directory, 'stop') === JUDGED;
}

export function appendAttempt(directory: string, attempt: Attempt): void {
  if (attempt.kind === 'failure') appendLine(directory, attempt);
  else appendLine(directory, { ...attempt, figures: Object.fromEntries(attempt.figures) });
}

export function appendEnd(directory: string, end: SamplingEnd): void {
  appendLine(directory, { end });
}

function appendLine(directory: string, line: object): void {
  append(directory, 'record', `${JSON.stringify(line)}\n`);
}

export function saveResponse(directory: string, response: string): void {
  write(directory, 'response', response);
}

/** Reads the record, skipping the partial line that a killed sampler may leave. */
export function readRecord(directory: string): SampleRecord {
  const lines = readIfExists(directory, 'record').split('\n').map(parseFields);
  const end = lines.flatMap(decodeEnd).at(-1) ?? { early: whyDied(directory) };
  const response = readIfExists(directory, 'response');
  return { attempts: lines.flatMap(decodeAttempt), response, end };
}

function decodeAttempt(line: Readonly<Record<string, unknown>>): Attempt[] {
  const { kind, askedAt, at, message, figures } = line;
  if (typeof askedAt !== 'number' || typeof at !== 'number') return [];
  if (kind === 'failure') return [{ kind, askedAt, at, message: String(message) }];
  const numbers = Object.entries(fieldsOf(figures)).map(
    ([metric, figure]) => [metric, Number(figure)] as const,
  );
  return [{ kind: 'sample', askedAt, at, figures: new Map(numbers) }];
}

function decodeEnd({ end }: Readonly<Record<string, unknown>>): SamplingEnd[] {
  if (end === 'requested') return [end];
  const { early } = fieldsOf(end);
  return typeof early === 'string' ? [{ early }] : [];
}

function whyDied(directory: string): string {
  const exitCode = readIfExists(directory, 'exitCode');
  const how = exitCode === '' ? 'was killed or hangs' : `exited with ${exitCode}`;
  return `the process that took the samples ${how}${samplerErrors(directory)}`;
}

const MAX_LAST_LINES = 3;

/** Returns the last lines that the sampler has written to stderr as ` (it last wrote: …)`. */
export function samplerErrors(directory: string): string {
  const lines = readIfExists(directory, 'errors').split('\n');
  // After an uncaught error, Node prints its stack, a lone brace and its own version.
  const words = lines
    .map(line => line.trim())
    .filter(line => !/^(at .*|Node\.js v.*|\W*)$/.test(line));
  return words.length === 0 ? '' : ` (it last wrote: ${words.slice(-MAX_LAST_LINES).join(' ')})`;
}

function write(directory: string, name: keyof typeof FILES, text: string): void {
  writeFileSync(monitorFile(directory, name), text, { mode: 0o600 });
}

function append(directory: string, name: keyof typeof FILES, text: string): void {
  appendFileSync(monitorFile(directory, name), text, { mode: 0o600 });
}

function readIfExists(directory: string, name: keyof typeof FILES): string {
  const file = monitorFile(directory, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
