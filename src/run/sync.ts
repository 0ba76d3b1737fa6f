import { type Client, openClient } from '../agent/client.ts';
import { isFatal } from '../agent/failure.ts';
import { hashFile } from '../agent/read-file.ts';
import { uploader } from '../agent/upload.ts';
import { gateOf } from '../gate/judge.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { digestOf } from '../report/checksums.ts';
import { EMPTY_REPORT, type Report, type ReportedError } from '../report/report.ts';
import { rowsAfter } from '../upload/changes.ts';
import type { FileResult } from '../upload/result.ts';
import { claimState, type State, writeState } from '../upload/state-file.ts';
import { type Transfer, transfer } from '../upload/transfer.ts';
import type { Context } from './context.ts';
import { checkGateIsJudgeable, measure, waitFor } from './measure.ts';
import { type PlannedUpload, planUpload } from './plan.ts';

/** Finds the files, plans, and transfers. @throws InputError before anything is sent */
export function upload(inputs: Inputs<'upload'>, context: Context): Promise<Report> {
  return withPlan('upload', inputs, context, run => sendFiles(run, inputs, context));
}

/**
 * Finds the files, plans, waits for the sandbox, transfers, measures and judges.
 * @throws InputError before anything is sent
 */
export function sync(inputs: Inputs<'sync'>, context: Context): Promise<Report> {
  return withPlan('sync', inputs, context, run => sendAndMeasure(run, inputs, context));
}

/** What the steps after the plan share. */
interface Run {
  readonly planned: PlannedUpload;
  /** What there is to say before anything is sent. */
  readonly report: Report;
  readonly client: Client;
  readonly time: Timer['time'];
}

/** Finds and plans, and unless it is a dry run, goes on with a client. */
async function withPlan(
  task: Report['task'],
  inputs: Inputs<'upload'>,
  context: Context,
  goOn: (run: Run) => Promise<Report>,
): Promise<Report> {
  const { observer, cancel, clock } = context;
  const { durations, time } = startTimer(clock);
  const planned = await time('search', () => planUpload(inputs, context));
  const report = { ...reportOf(planned, inputs), task };
  observer.planned(planned, inputs);
  const ended = (done: Report) => {
    const digest = digestOf(done.files);
    return { ...done, durations, digest, cancelled: cancel.aborted };
  };
  if (inputs.dryRun) {
    const files = unsent(planned, 'skipped', 'dry run');
    return ended({ ...report, files: inputs.checksums ? await withHashes(files, cancel) : files });
  }
  const client = openClient(inputs, context);
  try {
    return ended(await goOn({ planned, report, client, time }));
  } finally {
    await client.close();
  }
}

async function sendAndMeasure(run: Run, inputs: Inputs<'sync'>, context: Context): Promise<Report> {
  const { planned, client, time } = run;
  // Until there are stats, nothing can be judged, and the gate stays shut.
  const report = { ...run.report, gate: gateOf(inputs, []) };
  const waitProblem = await time('wait', () => waitFor(inputs, client, context));
  if (waitProblem !== undefined) {
    const files = unsent(planned, 'not-attempted', 'the sandbox was not ready');
    return { ...report, files, errors: [waitProblem] };
  }
  const { problem, sample } = await checkGateIsJudgeable(inputs, client, context);
  if (problem !== undefined) {
    const files = unsent(planned, 'not-attempted', 'the gate cannot be judged');
    return { ...report, ...problem, files };
  }
  const sent = await sendFiles({ ...run, report }, inputs, context);
  if (context.cancel.aborted || wouldStatsFail(sent.files)) return sent;
  const statsInputs = isOutOfReach(sent.files) ? { ...inputs, retries: 0 } : inputs;
  const measured = await time('stats', () => measure(statsInputs, client, context, sample));
  const errors = [...sent.errors, ...measured.errors];
  const warnings = [...sent.warnings, ...measured.warnings];
  return { ...sent, ...measured, errors, warnings };
}

type Durations = Report['durations'];

interface Timer {
  /** Milliseconds, of the steps that have ended. */
  readonly durations: Durations;
  readonly time: <T>(name: keyof Durations, step: () => Promise<T>) => Promise<T>;
}

function startTimer(clock: () => number): Timer {
  const durations: { -readonly [Name in keyof Durations]: number } = {};
  return {
    durations,
    async time(name, step) {
      const start = clock();
      const result = await step();
      durations[name] = Math.round(clock() - start);
      return result;
    },
  };
}

/** What a report says before anything is sent. */
function reportOf(planned: PlannedUpload, inputs: Inputs<'upload'>): Report {
  const { skipped, hidden, orphaned, shard, files, unchanged } = planned;
  const { sandboxId, baseUrl, dryRun, signature, filesPerRequest } = inputs;
  const changed = files.length - unchanged.size;
  const uncovered = `One signature covers one target path, and ${changed} files would use it.`;
  const isUncovered = changed > 1 && signature !== '';
  return {
    ...EMPTY_REPORT,
    sandboxId,
    baseUrl,
    dryRun,
    couldBatch: filesPerRequest === 1 && signature === '',
    skipped,
    hidden,
    orphaned,
    shard,
    warnings: isUncovered ? [...planned.warnings, uncovered] : planned.warnings,
  };
}

/** Uploads the files that have changed, and keeps the state. */
async function sendFiles(
  { planned, report, client }: Run,
  inputs: Inputs<'upload'>,
  context: Context,
): Promise<Report> {
  const { files, unchanged, state } = planned;
  const claimed = unchanged.size < files.length ? state : undefined;
  if (claimed !== undefined) claimState(claimed);
  const start = context.clock();
  const sent = await transfer(files, {
    ...inputs,
    ...context,
    unchanged,
    upload: uploader(client, inputs, inputs.checksums || state !== undefined),
    onEvent: context.observer.event,
  });
  const durationMs = Math.round(context.clock() - start);
  const kept = claimed === undefined ? [] : keepState(claimed, sent, context);
  const warnings = [...report.warnings, ...kept];
  return { ...report, files: sent.files, durationMs, errors: givenUp(sent), warnings };
}

function keepState(state: State, sent: Transfer, { cacheWarnings }: Context): string[] {
  // A file in a wrong place may have overwritten what the state knows of.
  const rows = sent.isMisplaced ? new Map() : state.rows;
  return [...writeState(state, rowsAfter(rows, sent.files)), ...cacheWarnings];
}

function givenUp({ gaveUp }: Transfer): ReportedError[] {
  if (gaveUp === undefined) return [];
  return [{ message: `The transfer was given up: ${gaveUp}`, details: [] }];
}

function unsent(
  { files, unchanged }: PlannedUpload,
  status: 'skipped' | 'not-attempted',
  reason: string,
): FileResult[] {
  return files.map(file => {
    const known = unchanged.get(file);
    return known === undefined ? { status, file, reason } : { status: 'unchanged', file, ...known };
  });
}

/** Files of a dry run with their hashes; a file that cannot be read has none. */
async function withHashes(
  results: readonly FileResult[],
  cancel: AbortSignal,
): Promise<FileResult[]> {
  const hashed: FileResult[] = [];
  for (const result of results) {
    const isDue = result.status === 'skipped';
    const sha256 = isDue ? await hashFile(result.file, cancel) : undefined;
    hashed.push(isDue && sha256 !== undefined ? { ...result, sha256 } : result);
  }
  return hashed;
}

/** True if every request failed on its way: the stats need not take as long again to fail. */
function isOutOfReach(results: readonly FileResult[]): boolean {
  const isLost = (result: FileResult) =>
    result.status === 'failed' && ['connection', 'stalled'].includes(result.error.kind);
  return results.some(isLost) && !results.some(({ status }) => status === 'uploaded');
}

/** True if the stats would fail too. After a full disk they are read: they show how full it is. */
function wouldStatsFail(results: readonly FileResult[]): boolean {
  return results.some(
    result =>
      result.status === 'failed' && isFatal(result.error) && result.error.kind !== 'disk-full',
  );
}
