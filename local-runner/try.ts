import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startAgent } from '../local-agent/agent.ts';
import type { StepResult } from './job.ts';
import { firstLine, mistakesIn } from './mistakes.ts';
import { logPrinter, printTree, shortened, summaryText, title } from './print.ts';
import { type Access, agentOptionsFor, folderOf, rehearsed, usingSandbox } from './rehearsal.ts';
import { actionOfCheckout } from './use.ts';
import { type JobResult, type Machine, runWorkflow } from './workflow.ts';
import { type Job, type JobStep, readWorkflow } from './workflow-file.ts';

// Runs a workflow against a local agent: the steps that use this action, and the others where that is asked for.

const USAGE = `Usage: npm run try -- FILE [--run] [--keep]

Runs the steps of a workflow that use Sandbox Sync, in the current folder and against an agent on this machine.

  FILE    the workflow, such as .github/workflows/sync.yml
  --run   runs its scripts as well, with bash; they are skipped without it
  --keep  keeps the folder with what arrived
  --help  prints this

Actions of others are always skipped. The exit code is 0 where every step did well, 1 where one failed, none ran or the
workflow has a mistake, and 2 where the file cannot be run.`;

/** Keys that say nothing about how the steps of this action run. */
const PASSED_OVER =
  'name permissions environment if timeout-minutes max-parallel background wait wait-all cancel'.split(' ');
/** Keys that matter to scripts and the actions of others alone. */
const OF_OTHERS = 'shell working-directory defaults container services uses with secrets'.split(' ');

const NOT_TRIED =
  'Not tried: base-url, header-prefix, sandbox-id and token with your service; secrets; what was skipped.';

interface Options {
  readonly file: string;
  readonly run: boolean;
  readonly keep: boolean;
}

// npm begins scripts in the folder of package.json, and says here where it was called.
const workspace = realpathSync.native(process.env['INIT_CWD'] ?? '.');

try {
  const options = readOptions();
  if (options === undefined) console.log(USAGE);
  else process.exitCode = (await tryWorkflow(options)) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}

/** Undefined where help is asked for. */
function readOptions(): Options | undefined {
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { run: flag, keep: flag, help: flag } });
  if (values.help) return undefined;
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new Error(USAGE);
  return { ...values, file: path.resolve(workspace, file) };
}

async function tryWorkflow({ file, run, keep }: Options): Promise<boolean> {
  const jobs = await readWorkflow(file, run ? PASSED_OVER : [...PASSED_OVER, ...OF_OTHERS]);
  const mistakes = await mistakesIn(jobs);
  for (const mistake of mistakes) console.log(`error: ${mistake}`);
  if (mistakes.length > 0) return false;
  const kept = rehearsed(jobs, run);
  await using held = new AsyncDisposableStack();
  const folder = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'sandbox-sync-try-')));
  if (!keep) held.defer(() => rm(folder, { recursive: true, maxRetries: 5 }));
  const [root, temp] = [path.join(folder, 'sandbox'), path.join(folder, 'temp')];
  mkdirSync(temp);
  const [sandboxId, token] = [`try-${randomUUID().slice(0, 8)}`, randomUUID()];
  const agent = held.use(await startAgent({ ...agentOptionsFor(kept), root, token, sandboxId }));
  const access = { 'base-url': agent.url, 'sandbox-id': sandboxId, token };

  title(`${path.relative(workspace, file)}, run in ${workspace}`);
  explain(jobs, kept, access);
  const options = { openMachine: () => machine(temp), contexts: {} };
  const results = await runWorkflow(usingSandbox(kept, access), options);
  title('What arrived in the sandbox');
  await printTree(root);
  if (keep) console.log(`\nKept in ${root}`);
  return conclude(jobs, results);
}

/** Says what differs from a run on GitHub. */
function explain(jobs: readonly Job[], kept: readonly Job[], access: Access): void {
  console.log(`base-url: ${access['base-url']}, the local agent`);
  console.log(`sandbox-id: ${access['sandbox-id']}, of the local agent`);
  console.log('token: one of the local agent');
  for (const { name, copies } of jobs)
    if (copies.length > 1) console.log(`job ${name}: the first of its ${copies.length} copies alone`);
  const stay = new Set(kept.flatMap(({ steps }) => steps));
  const skipped = jobs.flatMap(({ steps }) => steps).filter(step => !stay.has(step));
  const [scripts, actions] = [
    skipped.filter(({ does }) => 'script' in does),
    skipped.filter(({ does }) => 'uses' in does),
  ];
  list('Scripts that are skipped, and run with --run:', scripts);
  list('Actions of others, which are skipped:', actions);
}

function list(heading: string, steps: readonly JobStep[]): void {
  if (steps.length > 0) console.log(`\n${heading}`);
  for (const step of steps) console.log(`  ${firstLine(step.title)}`);
}

function machine(temp: string): Machine {
  return {
    workspace,
    temp,
    lenient: true,
    findAction: uses => folderOf(uses) ?? actionOfCheckout(uses, workspace),
    onStart: title,
    onLine: logPrinter(),
    onEnd: printEnd,
  };
}

function printEnd({ end }: StepResult): void {
  const outputs = Object.entries(end?.outputs ?? {}).filter(([, value]) => value !== '');
  if (outputs.length > 0) console.log('\nIts outputs:');
  for (const [name, value] of outputs) console.log(`  ${name}: ${shortened(value)}`);
  const summary = summaryText(end?.summary ?? '');
  if (summary !== '') console.log(`\nIts summary, as text:\n${shortened(summary, 4000)}`);
}

function conclude(jobs: readonly Job[], results: readonly JobResult[]): boolean {
  const steps = results.flatMap(result => result.steps);
  const ran = steps.filter(({ outcome }) => outcome !== 'skipped');
  const failed = ran.filter(({ conclusion }) => conclusion === 'failure');
  const notRun = jobs.filter(({ name }) => !results.some(({ job }) => job === name));
  console.log('');
  for (const { step, outcome } of steps) if (outcome === 'skipped') console.log(`Skipped: ${firstLine(step.title)}`);
  for (const { name, needs } of notRun) console.log(`Not run: job ${name}, which needs ${needs.join(', ')}`);
  for (const { step } of failed) console.log(`Failed: ${firstLine(step.title)}`);
  const succeeded = ran.length > 0 && failed.length === 0 && notRun.length === 0;
  if (ran.length === 0) console.log('No step that uses this action ran.');
  else if (succeeded) console.log(`Every step that ran succeeded. ${NOT_TRIED}`);
  return succeeded;
}
