import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type LocalAgent, startAgent } from '../../dev/agent/agent.ts';
import type { Fault, FaultAction } from '../../dev/agent/faults.ts';
import type { AgentOptions } from '../../dev/agent/options.ts';
import { type ActionFile, readActionFile } from '../../dev/runner/action-file.ts';
import { runStep, type Step, type StepEnd } from '../../dev/runner/step.ts';
import schema from '../../schema/report-1.json' with { type: 'json' };
import { ACTIONS, type ActionName } from '../../src/inputs/actions.ts';
import { filesBelow } from '../system.ts';

export const TOKEN = 'the-access-token-42';
export const SANDBOX_ID = 'sandbox1';

/** An address that refuses every connection: no process is ever given this port. */
export const NOBODY = 'http://127.0.0.1:1';

/** The metrics of a world's agent, unless given. */
export const METRICS = {
  ts: 1_767_225_600,
  cpu_count: 4,
  cpu_used_pct: 12.5,
  mem_total: 8_589_934_592,
  mem_used: 2_147_483_648,
  mem_total_mib: 8192,
  mem_used_mib: 2048,
  disk_total: 10_737_418_240,
  disk_used: 1_234_567_890,
};

/** The only limit on time: the action must end by itself long before. */
const KILL_AFTER_MS = 60_000;

export const PROJECT = path.resolve(import.meta.dirname, '../..');

export type Inputs = Step['inputs'];

export type Files = Readonly<Record<string, string | Buffer>>;

/** Sends the action a signal. */
export type Signal = (name: NodeJS.Signals) => void;

/** A request whose headers have reached the agent. */
export interface Arrived {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

/** Everything around one step: the runner's places, and a sandbox with its agent. */
export interface World extends AsyncDisposable {
  /** The checkout, an absolute path. */
  readonly workspace: string;
  /** A directory outside the checkout. */
  readonly outside: string;
  /** The job's RUNNER_TEMP. */
  readonly temp: string;
  /** The directory on disk that is the sandbox's `/`. */
  readonly root: string;
  readonly agent: LocalAgent;
  /** Whom to tell of each request. */
  readonly listener: { onRequest?: ((request: Arrived) => void) | undefined };
  /** Writes files of the checkout, by relative path. */
  write(files: Files): void;
  /** Makes links in the checkout, by relative path. */
  link(links: Readonly<Record<string, string>>): void;
  /** The content of a file in the sandbox; relative paths start at the user's home. */
  stored(file: string): Buffer;
}

export interface WorldOptions extends Partial<AgentOptions> {
  /** Files of the checkout. Default: one small file. */
  readonly files?: Files;
}

/** Creates a world. Disposing of it removes everything in it. */
export async function openWorld({
  files = { 'a.txt': 'text' },
  ...options
}: WorldOptions = {}): Promise<World> {
  const directory = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'sandbox-sync-test-')));
  const place = (name: string) => path.join(directory, name);
  const [workspace, outside, temp, root] = ['work', 'outside', 'temp', 'root'].map(place);
  if (!workspace || !outside || !temp || !root) throw new Error('unreachable');
  for (const folder of [workspace, outside, temp, root]) mkdirSync(folder);
  const listener: World['listener'] = {};
  const agent = await startAgent({
    root,
    token: TOKEN,
    sandboxId: SANDBOX_ID,
    metrics: () => METRICS,
    onRequest: request => listener.onRequest?.(request),
    ...options,
  });
  writeFiles(workspace, files);
  return {
    workspace,
    outside,
    temp,
    root,
    agent,
    listener,
    write: more => writeFiles(workspace, more),
    link(links) {
      for (const [name, end] of Object.entries(links)) {
        mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
        symlinkSync(end, path.join(workspace, name));
      }
    },
    stored: file => readFileSync(path.resolve(root, 'home/user', file.replace(/^\//, '../../'))),
    async [Symbol.asyncDispose]() {
      await agent.close();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A world whose agent misbehaves at every upload that `rule` covers. */
export function openFaulty(
  action: FaultAction,
  rule: Partial<Fault> = {},
  options: WorldOptions = {},
): Promise<World> {
  return openWorld({ ...options, faults: [{ on: 'upload', ...rule, do: action }] });
}

/** A world with a file for each fault, which hits this file's uploads. */
export function openEachFaulty(
  faults: Readonly<Record<string, FaultAction>>,
  more: Files = {},
): Promise<World> {
  const names = Object.keys(faults);
  return openWorld({
    files: { ...more, ...Object.fromEntries(names.map(name => [name, 'text'])) },
    faults: Object.entries(faults).map(([name, fault]) => ({
      on: 'upload',
      path: name,
      do: fault,
    })),
  });
}

/**
 * A good file after each of these in plan order, so that no three failures follow each other,
 * which would end the transfer.
 */
export function goodBetween(names: readonly string[]): Files {
  return Object.fromEntries(names.map(name => [`${name}~`, 'good']));
}

/** Small files `f0.txt` and so on. */
export function manyFiles(count: number): Files {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`f${index}.txt`, `content ${index}`]),
  );
}

/** A fault that answers a status. */
export function status(code: number, body = '', more: object = {}): FaultAction {
  return { kind: 'status', status: code, body, ...more };
}

/** What the service's proxy answers for a sandbox, as JSON. */
export function says(message: string, code = 502): string {
  return JSON.stringify({ sandboxId: 'i1', message, code });
}

/** The entry that acknowledges a target. */
export function entryOf(target: string, more: object = {}): object {
  const place = path.posix.resolve('/home/user', target);
  return { path: place, name: path.posix.basename(target), type: 'file', ...more };
}

/** Metrics with these values of a field in turn, then always the last. */
export function inTurn(name: keyof typeof METRICS, ...values: readonly number[]) {
  let asked = 0;
  return () => ({ ...METRICS, [name]: values[Math.min(asked++, values.length - 1)] });
}

export interface RunOptions extends Pick<Step, 'env'> {
  /** Which action to run. Default: the root action. */
  readonly task?: ActionName;
  /** Runs the action's post step, given the end of its main step. */
  readonly post?: Pick<StepEnd, 'state'>;
  /** Called with each line of the log. */
  readonly onLine?: (line: string, signal: Signal) => void;
  /** Called with each request when its headers reach the agent, before the agent acts. */
  readonly onRequest?: (request: Arrived, signal: Signal) => void;
}

/** Runs the built action as the runner does, with valid inputs for the world's agent. */
export async function runAction(
  world: World,
  inputs: Inputs = {},
  options: RunOptions = {},
): Promise<Result> {
  const { task = 'sync', env = {}, post, onRequest, onLine } = options;
  let signal: Signal = () => assert.fail('the action does not run yet');
  let killer: NodeJS.Timeout | undefined;
  let isKilled = false;
  const declared = await readActionFile(folderOf(task));
  world.listener.onRequest = request => onRequest?.(request, signal);
  const end = await runStep({
    action: folderOf(task),
    inputs: allInputs(declared, world.agent.url, inputs),
    workspace: world.workspace,
    temp: world.temp,
    env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    post,
    onLine: line => onLine?.(line, signal),
    onStart(send) {
      signal = send;
      killer = setTimeout(() => {
        isKilled = true;
        send('SIGKILL');
      }, KILL_AFTER_MS);
    },
  });
  clearTimeout(killer);
  world.listener.onRequest = undefined;
  assert.ok(!isKilled, `the action did not end by itself:\n${end.stdout}${end.stderr}`);
  // A killed action has no outputs, nor has a monitor that did not start.
  const isWhole = end.exitCode === 0 || (end.exitCode === 1 && task !== 'monitor');
  if (isWhole && post === undefined && !('GITHUB_OUTPUT' in env))
    assert.deepEqual(
      new Set(Object.keys(end.outputs)),
      new Set(declared.outputs.map(({ name }) => name)),
    );
  return resultOf(end, world.temp);
}

/** Runs the action and asserts that the step succeeded. */
export async function runWell(
  world: World,
  inputs: Inputs = {},
  options: RunOptions = {},
): Promise<Result> {
  const result = await runAction(world, inputs, options);
  assert.equal(result.exitCode, 0, result.stdout + result.stderr);
  assert.equal(result.stderr, '');
  return result;
}

/** Runs the action and asserts an orderly failure. */
export async function runBadly(
  world: World,
  inputs: Inputs = {},
  options: RunOptions = {},
): Promise<Result> {
  const result = await runAction(world, inputs, options);
  assert.equal(result.exitCode, 1, result.stdout + result.stderr);
  assert.equal(result.stderr, '');
  assert.notEqual(result.errors, '');
  assert.doesNotMatch(result.stdout, /is a bug; please report|^\s+at |%0A\s+at /m);
  return result;
}

/** The folder of a task's action.yml. */
export function folderOf(task: ActionName): string {
  return path.join(PROJECT, ACTIONS[task].folder);
}

/** The uploads that reached the agent. */
export function uploads(world: World) {
  return world.agent.requests.filter(({ method }) => method === 'POST');
}

/** The requests that reached the agent, by method. */
export function methods(world: World): string {
  return world.agent.requests.map(({ method }) => method).join(' ');
}

/** The decoded `path` of an upload's query. */
export function pathOf({ url = '' }: Arrived): string {
  return new URL(url, NOBODY).searchParams.get('path') ?? assert.fail(`no path in ${url}`);
}

/** Acts once, when the first upload to a path reaches the agent. */
export function when(target: string, act: (signal: Signal) => void): Pick<RunOptions, 'onRequest'> {
  let isDue = true;
  return {
    onRequest(request, signal) {
      if (!isDue || request.method !== 'POST' || pathOf(request) !== target) return;
      isDue = false;
      act(signal);
    },
  };
}

/** Asserts that the sandbox holds the files reported as uploaded, byte for byte, and no others. */
export function assertDelivered(world: World, { report }: Pick<Result, 'report'>): void {
  const stored = Object.entries(filesBelow(world.root));
  const uploaded = report.files.filter(file => file.status === 'uploaded');
  assert.deepEqual(
    Object.fromEntries(stored.map(([name, content]) => [`/${name}`, sizeAndHash(content)])),
    Object.fromEntries(uploaded.map(file => [file.path, sentBytes(world, file)])),
  );
}

/** The size that was reported, and the hash of the source; a size says nothing of the content. */
function sentBytes({ workspace }: World, { source, size }: ReportedFile) {
  return { ...sizeAndHash(readFileSync(path.join(workspace, source))), size };
}

function sizeAndHash(content: Buffer) {
  return { size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}

/** The parts of the report file that tests use. */
export interface Report {
  readonly name: string;
  readonly $schema: string;
  readonly succeeded: boolean;
  readonly cancelled: boolean;
  readonly dryRun: boolean;
  readonly headline: string;
  readonly totals: Readonly<Record<string, number>>;
  readonly digest: string;
  readonly stats: Readonly<Record<string, unknown>> | null;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly orphaned: readonly string[];
  readonly files: readonly ReportedFile[];
}

export interface ReportedFile {
  readonly source: string;
  readonly target: string;
  readonly size: number;
  readonly status: string;
  readonly attempts?: number;
  readonly path?: string;
  readonly sha256?: string;
  readonly reason?: string;
  readonly error?: { readonly kind: string; readonly message: string; readonly hint: string };
}

/** Everything that a run of the action left behind. */
export interface Result extends StepEnd {
  readonly report: Report;
  /** The report file's text. */
  readonly reportText: string;
  /** The lines of stdout. */
  readonly lines: readonly string[];
  /** All of it and the files below RUNNER_TEMP as one text, without the commands that mask. */
  readonly everything: string;
  /** The values that the action asked the runner to mask. */
  readonly masked: readonly string[];
  /** The report's file with this source. */
  readonly file: (source: string) => ReportedFile;
  /** Annotations of a level, unescaped. */
  readonly annotations: (level: 'error' | 'warning' | 'notice') => string[];
  /** Its error annotations as one text, without backticks. */
  readonly errors: string;
  readonly warnings: string;
}

/** Reads what a step left behind. */
function resultOf(end: StepEnd, temp: string): Result {
  const { stdout, stderr, outputs, state, env, summary } = end;
  const lines = stdout.split('\n');
  const reportFile = outputs['report'] ?? '';
  const reportText = existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : '';
  assertValid(outputs, reportText);
  const told = [outputs, state, env].flatMap(values => Object.entries(values).flat());
  const left = Object.entries(filesBelow(temp)).flat().map(String);
  const report = () => parseReport(reportText, stdout + stderr);
  const annotations: Result['annotations'] = level => lines.flatMap(annotationsOf(level));
  return {
    ...end,
    get report() {
      return report();
    },
    reportText,
    lines,
    everything: [
      lines.filter(line => !line.startsWith(MASK)).join('\n'),
      stderr,
      ...told,
      summary,
      reportText,
      ...left,
    ].join('\n'),
    masked: lines.filter(line => line.startsWith(MASK)).map(line => plain(line, MASK)),
    file: source =>
      report().files.find(file => file.source === source) ??
      assert.fail(`${source} is not in the report`),
    annotations,
    errors: annotations('error').join('\n').replaceAll('`', ''),
    warnings: annotations('warning').join('\n').replaceAll('`', ''),
  };
}

const ajv = new Ajv2020({ allErrors: true });
ajv.addSchema(schema);

/** Asserts that the report or an output fits its schema. */
export function assertFits(name: string, value: unknown): void {
  const place = name === 'report' ? schema.$id : `${schema.$id}#/$defs/${name}`;
  const validate = ajv.getSchema(place) ?? assert.fail(`there is no schema of ${name}`);
  assert.ok(validate(value), `${name}: ${ajv.errorsText(validate.errors)}`);
}

const MASK = '::add-mask::';

function assertValid(outputs: Readonly<Record<string, string>>, reportText: string): void {
  if (reportText !== '') assertFits('report', JSON.parse(reportText));
  for (const name of ['breaches', 'aggregates', 'stats'])
    if (outputs[name]) assertFits(name, JSON.parse(outputs[name]));
}

function parseReport(text: string, log: string): Report {
  assert.notEqual(text, '', `there is no report:\n${log}`);
  const value: unknown = JSON.parse(text);
  return isReport(value) ? value : assert.fail(`this is not a report: ${text}`);
}

function isReport(value: unknown): value is Report {
  return typeof value === 'object' && value !== null && 'task' in value;
}

function annotationsOf(level: string): (line: string) => string[] {
  return line => {
    const [command] = /^::(?:error|warning|notice)(?: [^:]*)?::/.exec(line) ?? [];
    return command?.startsWith(`::${level}`) ? [plain(line, command)] : [];
  };
}

function plain(line: string, command: string): string {
  const text = line.slice(command.length);
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}

function allInputs({ inputs: declared }: ActionFile, url: string, given: Inputs): Inputs {
  const names = new Set(declared.map(({ name }) => name));
  for (const name of Object.keys(given))
    assert.ok(names.has(name), `action.yml has no input ${name}`);
  if (!names.has('token')) return given;
  const files = names.has('files') ? { files: '**' } : {};
  return { 'sandbox-id': SANDBOX_ID, token: TOKEN, 'base-url': url, ...files, ...given };
}

/** Writes files by relative path. Those in `bin` are executable. */
export function writeFiles(directory: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: name.startsWith('bin/') ? 0o755 : 0o644 });
  }
}
