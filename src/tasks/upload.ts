import path from 'node:path';
import { agentService, type Client, withClient } from '../agent/client.ts';
import { rejectUselessExcludes } from '../files/explain-no-match.ts';
import { findFiles, listHidden } from '../files/find.ts';
import { escapeGlob } from '../files/paths.ts';
import { type FilePlan, filesOfShard, type PlannedFile, planFiles } from '../files/plan.ts';
import { filesPerRequestOf } from '../inputs/cross-input-rules.ts';
import { allOrProblems } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { digestOf } from '../report/checksums.ts';
import type { Report } from '../report/report.ts';
import type { ReportedError } from '../report/reported-error.ts';
import { describeShard, EMPTY_UPLOAD, type UploadSection } from '../report/upload-section.ts';
import { formatBytes, formatCount, formatNumber, listSome, totalSize } from '../text/format.ts';
import { hashFile } from '../transfer/read-file.ts';
import {
  findChanges,
  readState,
  removeState,
  type State,
  writeState,
} from '../transfer/state-file.ts';
import { createStoreFiles } from '../transfer/store-files.ts';
import { type FileResult, type TransferOptions, transfer } from '../transfer/transfer.ts';
import type { Context } from './context.ts';

/** Plans and uploads files. @throws InputError before anything is sent */
export async function upload(inputs: Inputs<'upload'>, context: Context): Promise<Report> {
  const { sandboxId, baseUrl, dryRun } = inputs;
  const report = { task: 'upload', name: '', sandboxId, baseUrl } as const;
  const prepared = await prepareUpload(inputs, context);
  if (dryRun) return { ...report, ...(await planOnly(prepared, inputs, context)) };
  if (context.cancel.aborted) return { ...report, ...sendNothing(prepared, context) };
  const sent = await withClient(agentService(inputs), context, client =>
    sendFiles(prepared, inputs, client, context),
  );
  return { ...report, ...sent };
}

export interface PreparedUpload extends Pick<TransferOptions, 'unchanged'> {
  readonly files: readonly PlannedFile[];
  readonly state: State | undefined;
  /** Complete except for the results of the transfer. */
  readonly section: UploadSection;
  readonly warnings: readonly string[];
}

export interface UploadResult extends Pick<Report, 'cancelled' | 'errors' | 'warnings'> {
  readonly upload: UploadSection;
}

/** Finds files, plans their targets and compares them with the state file. @throws InputError */
export async function prepareUpload(
  inputs: Inputs<'upload'>,
  context: Context,
): Promise<PreparedUpload> {
  const { workspace, cancel } = context;
  const [{ state, warnings }, plan] = await allOrProblems([
    Promise.try(() => readState(inputs, workspace)),
    findAndPlan(inputs, context),
  ]);
  const { shard, dryRun } = inputs;
  const files = shard === undefined ? plan.files : filesOfShard(plan.files, shard);
  const changes =
    state === undefined ? { unchanged: [], orphaned: [] } : await findChanges(files, state, cancel);
  const section = {
    ...EMPTY_UPLOAD,
    dryRun,
    skipped: plan.skipped,
    orphaned: changes.orphaned,
    shard: shard && { ...shard, files: files.length, planned: plan.files.length },
  };
  const { unchanged } = changes;
  return { files, unchanged, state, section, warnings: [...plan.warnings, ...warnings] };
}

const MAX_HIDDEN = 5;

async function findAndPlan(inputs: Inputs<'upload'>, context: Context): Promise<FilePlan> {
  const { workspace, cancel, onEvent } = context;
  const { stateFile } = inputs;
  // The state file is not part of the build.
  const stateExclude = stateFile === '' ? [] : [escapeGlob(path.resolve(workspace, stateFile))];
  const rules = { ...inputs.files, excludes: [...inputs.files.excludes, ...stateExclude] };
  await rejectUselessExcludes(inputs.files, path.resolve(workspace, inputs.workingDirectory));
  const matches = await findFiles(rules, { ...inputs, workspace, cancel });
  for (const { pattern, root, files, skipped } of matches) {
    const counts = `${formatCount(files.length, 'file')}, ${formatNumber(skipped.length)} skipped`;
    onEvent({ kind: 'debug', text: `Pattern ${pattern.pattern}: ${counts}, from ${root}` });
  }
  const hidden = listHidden(matches, workspace);
  if (hidden.length > 0)
    onEvent({
      kind: 'note',
      text: `Hidden, so not searched: ${listSome(hidden, MAX_HIDDEN)}. See include-hidden-files.`,
    });
  return planFiles(matches, { ...inputs, workspace });
}

export async function sendFiles(
  { files, unchanged, state, section, warnings }: PreparedUpload,
  inputs: Inputs<'upload'>,
  client: Client,
  context: Context,
): Promise<UploadResult> {
  const { cancel, clock, onEvent } = context;
  const changed = files.filter((_, position) => unchanged[position] === undefined);
  if (state !== undefined) removeState(state);
  if (changed.length > 0)
    onEvent({ kind: 'start', files: changed, title: announcementOf(inputs, section, changed) });
  const startedAt = clock();
  let retries = 0;
  const results = await transfer(files, {
    ...inputs,
    filesPerRequest: filesPerRequestOf(inputs),
    ...context,
    unchanged,
    storeFiles: createStoreFiles(client, inputs, inputs.checksums || state !== undefined),
    onEvent(event) {
      if (event.kind === 'attempted') retries += event.retries;
      onEvent(event);
    },
  }).finally(() => onEvent({ kind: 'end' }));
  // Different targets can lead to the same path, for example through a link in the sandbox.
  const storedPaths = new Set(results.map(result => ('path' in result ? result.path : '')));
  const upload = {
    ...section,
    files: results,
    orphaned: section.orphaned.filter(orphan => !storedPaths.has(orphan)),
    digest: digestOf(results),
    retries,
    durationMs: Math.round(clock() - startedAt),
  };
  const stateWarnings = state === undefined ? [] : writeState(state, results);
  return {
    upload,
    cancelled: cancel.aborted,
    errors: [],
    warnings: [...warnings, ...stateWarnings],
  };
}

function announcementOf(
  { sandboxId, baseUrl }: Inputs<'upload'>,
  { shard }: UploadSection,
  changed: readonly PlannedFile[],
): string {
  const files = `${formatCount(changed.length, 'file')} (${formatBytes(totalSize(changed))})`;
  const shardText = shard === undefined ? '' : `, ${describeShard(shard)}`;
  return `Uploading ${files} to sandbox ${sandboxId} at ${baseUrl}${shardText}`;
}

/**
 * Reports what would be sent, with a digest if `checksums` is set.
 * @throws AgentError if a file of the digest cannot be read
 */
export async function planOnly(
  { files, unchanged, section, warnings }: PreparedUpload,
  { checksums }: Inputs<'upload'>,
  { cancel }: Context,
): Promise<UploadResult> {
  const results: FileResult[] = [];
  for (const [position, file] of files.entries()) {
    const known = unchanged[position];
    const sha256 = known || !checksums ? undefined : await hashFile(file, cancel);
    const hashed = sha256 === undefined ? {} : { sha256 };
    results.push(known ?? { status: 'skipped', file, reason: 'dry run', ...hashed });
  }
  const upload = { ...section, files: results, digest: digestOf(results) };
  return { upload, cancelled: cancel.aborted, errors: [], warnings };
}

/** Reports that no file was attempted. Without an error, the reason is that the job was cancelled. */
export function sendNothing(
  { files, unchanged, section, warnings }: PreparedUpload,
  { cancel }: Context,
  error?: ReportedError,
): UploadResult {
  const reason = error?.message ?? 'the job was cancelled';
  const results = files.map((file, position): FileResult => {
    return unchanged[position] ?? { status: 'not-attempted', file, reason };
  });
  const upload = { ...section, files: results };
  return { upload, cancelled: cancel.aborted, errors: error ? [error] : [], warnings };
}
