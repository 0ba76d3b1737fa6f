import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RawInputs } from '../inputs/parsers.ts';
import type { Attempt, SampleRecord, SamplingEnd } from '../stats/samples.ts';
import { fieldsOf, parseFields, stringFieldsOf } from '../text/json.ts';

/** Returns the paths of a monitor's files, which never contain secret inputs. */
export function monitorFiles(directory: string): Readonly<Record<MonitorFile, string>> {
  return {
    inputs: path.join(directory, 'inputs.json'),
    record: path.join(directory, 'record.jsonl'),
    response: path.join(directory, 'response.json'),
    pid: path.join(directory, 'pid'),
    exitCode: path.join(directory, 'exit-code'),
    errors: path.join(directory, 'errors.txt'),
    stop: path.join(directory, 'stop'),
  };
}

type MonitorFile =
  | 'inputs'
  /** A line for each attempt, and one for the end of sampling. */
  | 'record'
  /** The last response, as the sandbox sent it but redacted. */
  | 'response'
  /** Contains the PID of the sampler, which writes the file once it is ready, and removes it. */
  | 'pid'
  /** What the sampler exited with, if not 0. */
  | 'exitCode'
  | 'errors'
  | 'stop';

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

const JUDGED = 'judged';

export function requestStop(directory: string): void {
  appendFileSync(monitorFiles(directory).stop, '', { mode: 0o600 });
}

export function markJudged(directory: string): void {
  writeFileSync(monitorFiles(directory).stop, JUDGED);
}

export function isJudged(directory: string): boolean {
  return readIfExists(monitorFiles(directory).stop) === JUDGED;
}

export function appendAttempt(directory: string, attempt: Attempt): void {
  if (attempt.kind === 'failure') appendLine(directory, attempt);
  else appendLine(directory, { ...attempt, figures: Object.fromEntries(attempt.figures) });
}

export function appendEnd(directory: string, end: SamplingEnd): void {
  appendLine(directory, { end });
}

function appendLine(directory: string, line: object): void {
  const { record } = monitorFiles(directory);
  appendFileSync(record, `${JSON.stringify(line)}\n`, { mode: 0o600 });
}

/** Keeps a response, redacted, instead of the one before it. */
export function saveResponse(directory: string, response: string): void {
  writeFileSync(monitorFiles(directory).response, response, { mode: 0o600 });
}

/** Reads the record, skipping the partial line that a killed sampler may leave. */
export function readRecord(directory: string): SampleRecord {
  const { record, response } = monitorFiles(directory);
  const lines = readIfExists(record).split('\n').map(parseFields);
  return {
    attempts: lines.flatMap(decodeAttempt),
    response: readIfExists(response),
    end: lines.flatMap(decodeEnd).at(-1) ?? { early: whyDied(directory) },
  };
}

function decodeAttempt(line: Readonly<Record<string, unknown>>): Attempt[] {
  const { kind, askedAt, answeredAt, message, figures } = line;
  if (typeof askedAt !== 'number' || typeof answeredAt !== 'number') return [];
  if (kind === 'failure') return [{ kind, askedAt, answeredAt, message: String(message) }];
  const numbers = Object.entries(fieldsOf(figures)).map(
    ([metric, figure]) => [metric, Number(figure)] as const,
  );
  return [{ kind: 'sample', askedAt, answeredAt, figures: new Map(numbers) }];
}

function decodeEnd({ end }: Readonly<Record<string, unknown>>): SamplingEnd[] {
  if (end === 'requested') return [end];
  const { early } = fieldsOf(end);
  return typeof early === 'string' ? [{ early }] : [];
}

function whyDied(directory: string): string {
  const exitCode = readIfExists(monitorFiles(directory).exitCode);
  const how = exitCode === '' ? 'was killed or hangs' : `exited with ${exitCode}`;
  return `the process that took the samples ${how}${lastWords(directory)}`;
}

const MAX_LAST_LINES = 3;

/** Returns the last lines that the sampler has written to stderr as ` (it last wrote: …)`. */
export function lastWords(directory: string): string {
  const lines = readIfExists(monitorFiles(directory).errors).split('\n');
  // After an uncaught error, Node prints its stack, a lone brace and its own version.
  const words = lines
    .map(line => line.trim())
    .filter(line => !/^(at .*|Node\.js v.*|\W*)$/.test(line));
  return words.length === 0 ? '' : ` (it last wrote: ${words.slice(-MAX_LAST_LINES).join(' ')})`;
}

function readIfExists(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
