import { realpathSync } from 'node:fs';
import path from 'node:path';
import { redactorOf } from '../agent/client.ts';
import { findFiles, type Matches } from '../files/find.ts';
import { isWithin } from '../files/links.ts';
import { type Plan, type PlannedFile, planFiles, shardOf } from '../files/plan.ts';
import type { SkippedEntry } from '../files/walk.ts';
import { allOf } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { ReportedShard } from '../report/report.ts';
import { formatCount } from '../text/format.ts';
import { type Changes, findChanges, withoutTouched } from '../upload/changes.ts';
import { readState, type State } from '../upload/state-file.ts';

/** What one run has to upload. */
export interface PlannedUpload extends Changes {
  /** This run's files, in plan order. */
  readonly files: readonly PlannedFile[];
  readonly skipped: readonly SkippedEntry[];
  readonly hidden: readonly SkippedEntry[];
  /** Undefined if the files are the whole plan. */
  readonly shard: ReportedShard | undefined;
  readonly state: State | undefined;
  readonly warnings: readonly string[];
}

/** What planning depends on besides the inputs. */
export interface PlanContext {
  /** Absolute path of the directory that holds the checkout. */
  readonly workspace: string;
  /** Aborts when the job is cancelled. */
  readonly cancel: AbortSignal;
  /** Writes lines to the debug log. */
  readonly debug: (text: string) => void;
}

/** Finds the files, plans where they go, and compares them with the state. @throws InputError */
export async function planUpload(
  inputs: Inputs<'upload'>,
  context: PlanContext,
): Promise<PlannedUpload> {
  const [state, plan] = await allOf([
    Promise.try(() => readState(inputs, context.workspace)),
    planFound(inputs, context),
  ]);
  const { shard } = inputs;
  const whole = state === undefined ? plan : withoutState(plan, state, context.workspace);
  const files = shard === undefined ? whole.files : shardOf(whole.files, shard);
  const planned = {
    ...whole,
    files,
    shard: shard && { ...shard, files: files.length, planned: whole.files.length },
    warnings: [...whole.warnings, ...(state?.warnings ?? [])],
  };
  if (state === undefined) return { ...planned, state, unchanged: new Map(), orphaned: [] };
  // Other shards upload their files without updating this state, so forget them.
  const own = new Set(files);
  const elsewhere = whole.files.filter(file => !own.has(file)).map(({ target }) => target);
  const rows = withoutTouched(state.rows, elsewhere);
  const changes = await findChanges(files, rows, context.cancel);
  return { ...planned, ...changes, state: { ...state, rows } };
}

async function planFound(inputs: Inputs<'upload'>, context: PlanContext): Promise<Plan> {
  const { workspace, cancel, debug } = context;
  const { matches, warnings } = await findFiles(inputs.files, { ...inputs, workspace, cancel });
  for (const match of matches) debug(describeMatch(match));
  // A cancelled find has no files.
  const ifNoFilesFound = cancel.aborted ? 'ignore' : inputs.ifNoFilesFound;
  const redact = redactorOf(inputs.headers, [inputs.token, inputs.signature]);
  const plan = planFiles(matches, { ...inputs, ifNoFilesFound, workspace, redact });
  return { ...plan, warnings: [...plan.warnings, ...warnings] };
}

function describeMatch({ pattern: { pattern }, root, files, skipped, hidden }: Matches): string {
  const counts = `${formatCount(files.length, 'file')}, ${skipped.length} skipped, ${hidden.length} hidden`;
  return `Pattern ${JSON.stringify(pattern)}: searched from ${root}, ${counts}`;
}

/** The state file is no part of a build. */
function withoutState(plan: Plan, { file }: State, workspace: string): Plan {
  const real = realPathOf(file);
  const isState = (place: string) => place === file || place === real;
  const states = plan.files.filter(({ realPath }) => isState(realPath));
  return {
    ...plan,
    files: plan.files.filter(({ realPath }) => !isState(realPath)),
    // Mostly in a hidden folder of its own.
    hidden: plan.hidden.filter(entry => !isWithin(path.resolve(workspace, entry.path), file)),
    skipped: [
      ...plan.skipped,
      ...states.map(({ source }) => ({ path: source, reason: 'the state file' })),
    ],
  };
}

function realPathOf(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}
