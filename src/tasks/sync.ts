import path from 'node:path';
import { agentService, type Client, withClient } from '../agent/client.ts';
import { isFatal } from '../agent/failure.ts';
import { findFiles } from '../files/find.ts';
import { escapeGlob } from '../files/paths.ts';
import { type Plan, type PlannedFile, planFiles, shardOf } from '../files/plan.ts';
import { gateOf, isGated } from '../gate/judge.ts';
import { allOrProblems } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { digestOf } from '../report/checksums.ts';
import { describeShard, EMPTY_REPORT, type Report } from '../report/report.ts';
import { formatBytes, formatCount, formatNumber, totalSize } from '../text/format.ts';
import { hashFile } from '../transfer/read-file.ts';
import {
  type Changes,
  findChanges,
  readState,
  removeState,
  type State,
  writeState,
} from '../transfer/state-file.ts';
import { createStoreFiles } from '../transfer/store-files.ts';
import { type FileResult, inPlanOrder, transfer } from '../transfer/transfer.ts';
import type { Context } from './context.ts';
import { checkGateIsJudgeable, measure, waitFor } from './measure.ts';

/** Plans and uploads files. @throws InputError before anything is sent */
export async function upload(inputs: Inputs<'upload'>, context: Context): Promise<Report> {
  const plan = await prepareUpload('upload', inputs, context);
  if (inputs.dryRun) return dryRun(plan, inputs, context);
  if (context.cancel.aborted) return notSentReport(plan, { errors: [] }, context);
  return withClient(agentService(inputs), context, client =>
    sendFiles(plan, inputs, client, context),
  );
}

/**
 * Plans, waits for the sandbox, uploads, measures and judges.
 * @throws InputError before anything is sent
 */
export async function sync(inputs: Inputs<'sync'>, context: Context): Promise<Report> {
  const planned = await prepareUpload('sync', inputs, context);
  if (inputs.dryRun) return dryRun(planned, inputs, context);
  const plan = { ...planned, report: { ...planned.report, gate: gateOf(inputs, []) } };
  if (context.cancel.aborted) return notSentReport(plan, { errors: [] }, context);
  return withClient(agentService(inputs), context, async client => {
    const problem =
      (await waitFor(inputs, client, context)) ??
      (await checkGateIsJudgeable(inputs, client, context));
    if (problem !== undefined) return notSentReport(plan, problem, context);
    // The check of the gate has read the stats.
    const cpuWindowStarted = isGated(inputs);
    const sent = await sendFiles(plan, inputs, client, context);
    if (sent.cancelled || hasFatalFailure(sent.files)) return sent;
    const measured = await measure(inputs, client, context, cpuWindowStarted);
    return {
      ...sent,
      ...measured,
      cancelled: context.cancel.aborted,
      errors: [...sent.errors, ...measured.errors],
    };
  });
}

interface PreparedUpload extends Pick<Changes, 'unchanged'> {
  readonly files: readonly PlannedFile[];
  readonly state: State | undefined;
  readonly report: Report;
}

async function prepareUpload(
  task: Report['task'],
  inputs: Inputs<'upload'>,
  context: Context,
): Promise<PreparedUpload> {
  const { workspace, cancel } = context;
  const [{ state, warnings }, plan] = await allOrProblems([
    Promise.try(() => readState(inputs, workspace)),
    findAndPlan(inputs, context),
  ]);
  const { shard, sandboxId, baseUrl, dryRun } = inputs;
  const files = shard === undefined ? plan.files : shardOf(plan.files, shard);
  const changes =
    state === undefined
      ? { unchanged: new Map(), orphaned: [] }
      : await findChanges(files, state, cancel);
  const report = {
    ...EMPTY_REPORT,
    task,
    sandboxId,
    baseUrl,
    dryRun,
    skipped: plan.skipped,
    orphaned: changes.orphaned,
    shard: shard && { ...shard, files: files.length, planned: plan.files.length },
    warnings: [...plan.warnings, ...warnings],
  };
  return { files, unchanged: changes.unchanged, state, report };
}

async function findAndPlan(inputs: Inputs<'upload'>, context: Context): Promise<Plan> {
  const { workspace, cancel, onEvent } = context;
  const { stateFile } = inputs;
  // The state file is not part of the build.
  const stateExclude = stateFile === '' ? [] : [escapeGlob(path.resolve(workspace, stateFile))];
  const rules = { ...inputs.files, excludes: [...inputs.files.excludes, ...stateExclude] };
  const matches = await findFiles(rules, { ...inputs, workspace, cancel });
  for (const { pattern, root, files, skipped } of matches) {
    const counts = `${formatCount(files.length, 'file')}, ${formatNumber(skipped.length)} skipped`;
    onEvent({ kind: 'debug', text: `Pattern ${pattern.pattern}: ${counts}, from ${root}` });
  }
  return planFiles(matches, { ...inputs, workspace });
}

async function sendFiles(
  { files, unchanged, state, report }: PreparedUpload,
  inputs: Inputs<'upload'>,
  client: Client,
  context: Context,
): Promise<Report> {
  const { cancel, clock, onEvent } = context;
  const changed = files.filter(file => !unchanged.has(file));
  if (state !== undefined) removeState(state);
  if (changed.length > 0)
    onEvent({ kind: 'start', files: changed, title: announcementOf(report, changed) });
  const startedAt = clock();
  let retries = 0;
  const results = await transfer(files, {
    ...inputs,
    ...context,
    unchanged,
    upload: createStoreFiles(client, inputs, inputs.checksums || state !== undefined),
    onEvent(event) {
      if (event.kind === 'retry') retries += 1;
      onEvent(event);
    },
  }).finally(() => onEvent({ kind: 'end' }));
  // A target that is now spelled differently may still lead to the same path.
  const storedPaths = new Set(results.map(result => ('path' in result ? result.path : '')));
  return {
    ...report,
    files: results,
    orphaned: report.orphaned.filter(orphan => !storedPaths.has(orphan)),
    digest: digestOf(results),
    retries,
    durationMs: Math.round(clock() - startedAt),
    cancelled: cancel.aborted,
    warnings: [...report.warnings, ...(state === undefined ? [] : writeState(state, results))],
  };
}

function announcementOf(
  { sandboxId, baseUrl, shard }: Report,
  changed: readonly PlannedFile[],
): string {
  const files = `${formatCount(changed.length, 'file')} (${formatBytes(totalSize(changed))})`;
  const shardText = shard === undefined ? '' : `, ${describeShard(shard)}`;
  return `Uploading ${files} to sandbox ${sandboxId} at ${baseUrl}${shardText}`;
}

async function dryRun(
  { files, unchanged, report }: PreparedUpload,
  { checksums }: Inputs<'upload'>,
  { cancel }: Context,
): Promise<Report> {
  const hashes = new Map<PlannedFile, string>();
  for (const file of checksums ? files : []) {
    const sha256 = unchanged.has(file) ? undefined : await hashFile(file, cancel);
    if (sha256 !== undefined) hashes.set(file, sha256);
  }
  const results = inPlanOrder(files, unchanged, file => {
    const sha256 = hashes.get(file);
    return { status: 'skipped', file, reason: 'dry run', ...(sha256 && { sha256 }) };
  });
  return { ...report, files: results, digest: digestOf(results), cancelled: cancel.aborted };
}

function notSentReport(
  { files, unchanged, report }: PreparedUpload,
  problem: Pick<Report, 'errors'>,
  { cancel }: Context,
): Report {
  const reason = problem.errors[0]?.message ?? 'the job was cancelled';
  const results = inPlanOrder(files, unchanged, file => {
    return { status: 'not-attempted', file, reason };
  });
  return { ...report, ...problem, files: results, cancelled: cancel.aborted };
}

// A full disk ends the upload, but the stats still work and show how full it is.
function hasFatalFailure(results: readonly FileResult[]): boolean {
  return results.some(
    result =>
      result.status === 'failed' && isFatal(result.error) && result.error.kind !== 'disk-full',
  );
}
