import { setFlagsFromString } from 'node:v8';
import { SHARED_BYTES } from '../agent/body.ts';
import { type Client, openClient } from '../agent/client.ts';
import { uploader } from '../agent/uploader.ts';
import { gateOf, isGated } from '../gate/judge.ts';
import type { Inputs } from '../inputs/table.ts';
import { EMPTY_REPORT, type Report } from '../report/report.ts';
import { totalSize } from '../text/units.ts';
import { firstLevel, highestLevel } from '../upload/level.ts';
import type { FileResult } from '../upload/result.ts';
import { resultsOf, type Selection, selectFiles } from '../upload/selection.ts';
import { forget, remember } from '../upload/state-file.ts';
import { transfer } from '../upload/transfer.ts';
import { foresee, measure, waitFor } from './measure.ts';
import type { Surroundings } from './surroundings.ts';

// What fails between the action and the sandbox is in a report. Both throw an InputError where the files cannot be found or
// planned, or the state cannot be kept; nothing has been sent then.

/** Finds the files, plans, and transfers. */
export function upload(inputs: Inputs<'upload'>, surroundings: Surroundings): Promise<Report> {
  return run('upload', inputs, undefined, surroundings);
}

/** Finds the files, plans, waits for the sandbox, transfers, measures the sandbox, and judges it. */
export function sync(inputs: Inputs<'sync'>, surroundings: Surroundings): Promise<Report> {
  return run('sync', inputs, inputs, surroundings);
}

async function run(
  task: 'upload' | 'sync',
  inputs: Inputs<'upload'>,
  measuring: Inputs<'stats'> | undefined,
  surroundings: Surroundings,
): Promise<Report> {
  keepHeapSmall();
  const { cancel, clock, observer } = surroundings;
  const took: Record<string, number> = {};
  const timed = async <T>(what: keyof Report['took'], doing: Promise<T>) => {
    const start = clock();
    const result = await doing;
    took[what] = Math.round(clock() - start);
    return result;
  };
  const selection = await timed('search', selectFiles(inputs, surroundings));
  observer.planned(selection, inputs);
  const planned = { ...reportOn(selection, inputs), task };
  const ended = (more: Partial<Report>): Report => ({ ...planned, ...more, took, cancelled: cancel.aborted });
  if (inputs.dryRun) return ended({ files: unsent(selection, 'skipped', 'dry run') });
  // Until there are stats, nothing can be judged, and the gate stays shut.
  const gate = measuring === undefined ? planned.gate : gateOf(measuring, []);
  const connections = highestLevel(inputs.concurrency);
  const client = openClient(inputs, { connections, ...surroundings });
  try {
    const isNotReady = measuring && (await timed('wait', waitFor(measuring, client, surroundings)));
    if (isNotReady !== undefined) {
      const files = unsent(selection, 'not-attempted', 'the sandbox was not ready');
      return ended({ gate, files, errors: [isNotReady] });
    }
    const obstacle = measuring && (await foresee(measuring, client, surroundings));
    if (obstacle !== undefined) {
      return ended({ ...obstacle, files: unsent(selection, 'not-attempted', 'the gate cannot be judged') });
    }
    const sent = await send(selection, inputs, client, surroundings);
    const warnings = [...planned.warnings, ...sent.warnings];
    if (measuring === undefined || cancel.aborted || isPointless(sent.files)) return ended({ ...sent, gate, warnings });
    const patient = isOutOfReach(sent.files) ? { ...measuring, retries: 0 } : measuring;
    const measured = await timed('stats', measure(patient, client, surroundings, isGated(measuring)));
    return ended({ ...sent, ...measured, warnings: [...warnings, ...measured.warnings] });
  } finally {
    await client.close();
  }
}

// With thousands of files, V8 would let its heap grow to many times what is in use, and never give it back. The search makes
// as much garbage as the transfer: said before it, 16,000 files take 135 MiB in place of 204.
function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=20');
}

/** What a report says before anything was sent. */
function reportOn(selection: Selection, inputs: Inputs<'upload'>): Report {
  const { leftOut, hidden, gone, share, due } = selection;
  const { sandboxId, baseUrl, dryRun, signature, filesPerRequest } = inputs;
  const uncovered = `One signature covers one target path, and ${due.length} files would use it.`;
  const warnings = [...selection.warnings, ...(due.length > 1 && signature !== '' ? [uncovered] : [])];
  const mayShare = filesPerRequest === 1 && signature === '';
  return { ...EMPTY_REPORT, sandboxId, baseUrl, dryRun, mayShare, leftOut, hidden, gone, share, warnings };
}

/** Uploads the files that are due, and keeps the state. */
async function send(
  selection: Selection,
  inputs: Inputs<'upload'>,
  client: Client,
  surroundings: Surroundings,
): Promise<Pick<Report, 'files' | 'durationMs' | 'warnings'>> {
  const { due, state } = selection;
  const { cacheWarnings, clock, observer } = surroundings;
  if (state !== undefined) forget(state, due);
  const start = clock();
  // All at once, and while the trial of shared requests is on its way.
  const requests = Math.ceil(Math.max(due.length / inputs.filesPerRequest, totalSize(due) / SHARED_BYTES));
  client.connectAhead(Math.min(due.length, requests, firstLevel(inputs.concurrency)));
  const results = await transfer(due, {
    ...inputs,
    ...surroundings,
    upload: uploader(client, inputs, state !== undefined),
    onEvent: event => observer.event(event),
  });
  return {
    files: resultsOf(selection, results),
    durationMs: Math.round(clock() - start),
    warnings: state === undefined ? [] : [...remember(state, results), ...(due.length > 0 ? cacheWarnings : [])],
  };
}

/** The results where nothing was sent, for one reason. */
function unsent(selection: Selection, status: 'skipped' | 'not-attempted', reason: string): FileResult[] {
  return resultsOf(
    selection,
    selection.due.map(file => ({ status, file, reason })),
  );
}

/** Whether every attempt at a file came to nothing on the way: the stats need not take as long again to fail. */
function isOutOfReach(results: readonly FileResult[]): boolean {
  const isLost = (result: FileResult) =>
    result.status === 'failed' && ['connection', 'stalled'].includes(result.error.kind);
  return results.some(isLost) && !results.some(({ status }) => status === 'uploaded');
}

/** Whether the stats cannot be had either; those of a full disk can, and they explain it. */
function isPointless(results: readonly FileResult[]): boolean {
  return results.some(result => result.status === 'failed' && result.error.final && result.error.kind !== 'disk-full');
}
