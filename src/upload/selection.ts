import path from 'node:path';
import { allOf, type RawInputs } from '../inputs/parse.ts';
import { type Inputs, parseSearch, type Shard } from '../inputs/table.ts';
import type { Debug } from '../text/debug.ts';
import { formatCount, formatDuration, formatNumber, totalSize } from '../text/units.ts';
import { type DiscoverOptions, discover, type Matches } from './discover.ts';
import { type Plan, type PlannedFile, plan, shareOf } from './plan.ts';
import type { FileResult } from './result.ts';
import { type Entries, without } from './state.ts';
import { isStateFile, openState, type State, type StateFile, type StateRead } from './state-file.ts';
import { compare } from './unchanged.ts';

/** What of a plan one run is to see to; `files` are its own. */
export interface Selection extends Plan {
  /** Undefined where the whole plan is this run's. */
  readonly share: Share | undefined;
  /** Those of the files that are to be sent, in plan order. */
  readonly due: readonly PlannedFile[];
  /** Those that are not, by target. */
  readonly unchanged: Entries;
  /** Where the sandbox has files of earlier runs that are not in the plan. */
  readonly gone: readonly string[];
  readonly state: State | undefined;
}

/** What a shard has of a plan. */
export interface Share extends Shard {
  readonly files: number;
  readonly planned: number;
}

export interface SelectionOptions extends Pick<DiscoverOptions, 'workspace' | 'cancel'> {
  /** Milliseconds on a clock that does not jump. */
  readonly clock: () => number;
  readonly debug?: Debug | undefined;
}

/** Finds the files, plans, takes this run's share, and of it what has changed. @throws InputError where that cannot be done. */
export async function selectFiles(inputs: Inputs<'upload'>, options: SelectionOptions): Promise<Selection> {
  const [state, all] = await allOf([openState(inputs, options.workspace), planFiles(inputs, options)]);
  const planned = state === undefined ? all : leaveOutState(all, state.file, options.workspace);
  const { shard } = inputs;
  const files = shard === undefined ? planned.files : shareOf(planned.files, shard);
  const share = shard && { ...shard, files: files.length, planned: planned.files.length };
  const selection = { ...planned, files, share, due: files, unchanged: new Map(), gone: [], state: undefined };
  const comparing = { ...options, shareRequests: inputs.filesPerRequest > 1 };
  const selected = state === undefined ? selection : await skipUnchanged(selection, state, planned.files, comparing);
  options.debug?.('plan', planLine(selected));
  return selected;
}

/** Looks for the files of inputs that are refused for something else. @throws InputError for what is wrong with them. */
export async function checkFiles(raw: RawInputs, options: SelectionOptions): Promise<void> {
  await planFiles(parseSearch(raw), { ...options, debug: undefined });
}

/** A result for each file of a selection, in plan order, with those of the files that were due. */
export function resultsOf({ files, unchanged }: Selection, due: readonly FileResult[]): FileResult[] {
  const results = due.values();
  return files.flatMap(file => {
    const entry = unchanged.get(file.target);
    if (entry !== undefined) return { status: 'unchanged', file, path: entry.path };
    const { value } = results.next();
    return value ?? [];
  });
}

async function planFiles(
  inputs: ReturnType<typeof parseSearch>,
  { workspace, cancel, clock, debug }: SelectionOptions,
): Promise<Plan> {
  const start = clock();
  const { matches, warnings } = await discover(inputs.files, { ...inputs, workspace, cancel });
  debug?.('search', searchLines(matches, clock() - start));
  // A search that was cut short has found nothing.
  const ifNoFilesFound = cancel.aborted ? 'ignore' : inputs.ifNoFilesFound;
  const planned = plan(matches, { ...inputs, workspace, ifNoFilesFound });
  return { ...planned, warnings: [...planned.warnings, ...warnings] };
}

/** The plan without the state file, which is no part of a build. */
function leaveOutState(planned: Plan, file: StateFile, workspace: string): Plan {
  const isState = isStateFile(file);
  const found = planned.files.filter(isState).map(({ source }) => ({ path: source, reason: 'the state file' }));
  const files = planned.files.filter(each => !isState(each));
  const hidden = planned.hidden.filter(each => !isState({ realPath: path.resolve(workspace, each.path) }));
  return { ...planned, files, hidden, leftOut: [...planned.leftOut, ...found] };
}

/** Takes what the sandbox has already from what is due; `planned` are the files of all shards. */
async function skipUnchanged(
  selection: Selection,
  { file, entries: read, warnings }: StateRead,
  planned: readonly PlannedFile[],
  { shareRequests, cancel, debug }: SelectionOptions & { readonly shareRequests: boolean },
): Promise<Selection> {
  const mine = new Set(selection.files);
  // The files of other shards are sent by other runners, which this state will hear nothing of.
  const elsewhere = planned.filter(each => !mine.has(each)).map(({ target }) => target);
  const { unchanged, entries } = await compare(selection.files, without(read, elsewhere), { cancel, shareRequests });
  const counts = `${formatNumber(read.size)} entries read, ${formatCount(unchanged.size, 'file')} unchanged`;
  debug?.('state file', `State file ${file.path}: ${counts}`);
  const due = selection.files.filter(({ target }) => !unchanged.has(target));
  const targets = due.map(({ target }) => target);
  // What may be a target of this run in another spelling is not sure to be left.
  const left = [...without(entries, targets)].filter(([target]) => !unchanged.has(target));
  return {
    ...selection,
    due,
    unchanged,
    // A search that was cut short tells of no file.
    gone: cancel.aborted ? [] : left.map(([, { path: place }]) => place),
    state: { file, entries },
    warnings: [...selection.warnings, ...warnings],
  };
}

function searchLines(matches: readonly Matches[], durationMs: number): string {
  const lines = matches.map(({ pattern: { pattern }, root, files, leftOut, hidden }) => {
    const counts = `${formatCount(files.length, 'file')}, ${formatNumber(leftOut.length)} left out`;
    const passedOver = hidden.length === 0 ? '' : `, ${formatNumber(hidden.length)} hidden`;
    return `Pattern ${JSON.stringify(pattern)}: searched from ${root}, ${counts}${passedOver}`;
  });
  return [...lines, `Search: took ${formatDuration(durationMs)}`].join('\n');
}

function planLine({ files, due, unchanged, leftOut, share }: Selection): string {
  const toSend = `${formatCount(due.length, 'file')}, ${formatCount(totalSize(due), 'byte')} to send`;
  const rest = `${formatNumber(unchanged.size)} unchanged, ${formatNumber(leftOut.length)} left out`;
  const others = share === undefined ? '' : `, ${formatNumber(share.planned - share.files)} of other shards`;
  return `Plan: ${formatCount(files.length, 'file')}; ${toSend}; ${rest}${others}`;
}
