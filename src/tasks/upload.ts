import { agentService, type Client, withClient } from '../agent/client.ts';
import { findFiles } from '../files/find.ts';
import { listHidden } from '../files/pattern-problems.ts';
import { type FilePlan, filesOfShard, planFiles } from '../files/plan.ts';
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
import { type FileResult, transfer } from '../transfer/transfer.ts';
import type { Context } from './context.ts';

/** Plans and uploads files. @throws InputError before anything is sent */
export async function upload(inputs: Inputs<'upload'>, context: Context): Promise<Report> {
  const prepared = await prepareUpload('upload', inputs, context);
  if (inputs.dryRun) return planOnly(prepared, inputs, context);
  if (context.cancel.aborted) return sendNothing(prepared, context);
  return withClient(agentService(inputs), context, client =>
    sendFiles(prepared, inputs, client, context),
  );
}

interface UploadReport extends Report {
  readonly upload: UploadSection;
}

interface PreparedUpload {
  /** What to report if the job is cancelled before anything is sent. */
  readonly report: UploadReport;
  readonly state: State | undefined;
}

/** Finds files, plans their targets and compares them with the state file. @throws InputError */
export async function prepareUpload(
  task: 'sync' | 'upload',
  inputs: Inputs<'upload'>,
  context: Context,
): Promise<PreparedUpload> {
  const { workspace, cancel } = context;
  const { sandboxId, baseUrl, shard, dryRun } = inputs;
  const [state, plan] = await allOrProblems([
    Promise.try(() => readState(inputs, workspace)),
    findAndPlan(inputs, context),
  ]);
  const ours = shard === undefined ? plan.files : filesOfShard(plan.files, shard);
  const reason = 'the job was cancelled';
  const planned = ours.map((file): FileResult => ({ status: 'not-attempted', file, reason }));
  const changes = state && (await findChanges(planned, state, cancel));
  const upload = {
    ...EMPTY_UPLOAD,
    dryRun,
    files: planned,
    skipped: plan.skipped,
    shard: shard && { ...shard, files: ours.length, planned: plan.files.length },
    ...changes,
  };
  const warnings = [...plan.warnings, ...(state?.warnings ?? [])];
  const info = { task, name: '', sandboxId, baseUrl, cancelled: true, errors: [], warnings };
  return { report: { ...info, upload }, state };
}

const MAX_HIDDEN = 5;

async function findAndPlan(inputs: Inputs<'upload'>, context: Context): Promise<FilePlan> {
  const { workspace, onEvent } = context;
  const matches = await findFiles(inputs, context);
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
  return planFiles(matches, inputs, workspace);
}

export async function sendFiles(
  { report, state }: PreparedUpload,
  inputs: Inputs<'upload'>,
  client: Client,
  { cancel, clock, sleep, random, onEvent }: Context,
): Promise<UploadReport> {
  const planned = report.upload;
  if (state !== undefined) removeState(state);
  announce(inputs, planned, onEvent);
  const startedAt = clock();
  const { files, retries } = await transfer(planned.files, {
    concurrency: inputs.concurrency,
    filesPerRequest: filesPerRequestOf(inputs),
    retries: inputs.retries,
    storeFiles: createStoreFiles(client, inputs),
    cancel,
    clock,
    sleep,
    random,
    onEvent,
  }).finally(() => onEvent({ kind: 'end' }));
  // Different targets can resolve to the same path, for example through a link in the sandbox.
  const storedPaths = new Set(files.map(result => ('path' in result ? result.path : '')));
  const upload = {
    ...planned,
    files,
    orphaned: planned.orphaned.filter(orphan => !storedPaths.has(orphan)),
    digest: digestOf(files),
    retries,
    durationMs: Math.round(clock() - startedAt),
  };
  const stateWarnings = state === undefined ? [] : writeState(state, files);
  const warnings = [...report.warnings, ...stateWarnings];
  return { ...report, upload, cancelled: cancel.aborted, warnings };
}

function announce(
  { sandboxId, baseUrl }: Inputs<'upload'>,
  { files, shard }: UploadSection,
  onEvent: Context['onEvent'],
): void {
  const unsent = files.filter(({ status }) => status === 'not-attempted').map(({ file }) => file);
  if (unsent.length === 0) return;
  const size = `${formatCount(unsent.length, 'file')} (${formatBytes(totalSize(unsent))})`;
  const shardText = shard === undefined ? '' : `, ${describeShard(shard)}`;
  const title = `Uploading ${size} to sandbox ${sandboxId} at ${baseUrl}${shardText}`;
  onEvent({ kind: 'start', files: unsent, title });
}

/**
 * Reports what would be sent, with a digest if `checksums` is set.
 * @throws AgentError if a file of the digest cannot be read
 */
export async function planOnly(
  { report }: PreparedUpload,
  { checksums }: Inputs<'upload'>,
  { cancel }: Context,
): Promise<UploadReport> {
  const files: FileResult[] = [];
  for (const result of report.upload.files) {
    const { status, file } = result;
    if (status !== 'not-attempted') {
      files.push(result);
      continue;
    }
    const sha256 = checksums ? await hashFile(file, cancel) : undefined;
    const hashed = sha256 === undefined ? {} : { sha256 };
    files.push({ status: 'skipped', file, reason: 'dry run', ...hashed });
  }
  const upload = { ...report.upload, files, digest: digestOf(files) };
  return { ...report, upload, cancelled: cancel.aborted };
}

/** Reports that no file was attempted. Without an error, the reason is that the job was cancelled. */
export function sendNothing(
  { report }: PreparedUpload,
  { cancel }: Context,
  error?: ReportedError,
): UploadReport {
  if (error === undefined) return { ...report, cancelled: cancel.aborted };
  const files = report.upload.files.map(result =>
    result.status === 'not-attempted' ? { ...result, reason: error.message } : result,
  );
  const upload = { ...report.upload, files };
  return { ...report, upload, cancelled: cancel.aborted, errors: [error] };
}
