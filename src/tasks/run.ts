import { agentService, type Client, withClient } from '../agent/client.ts';
import { isGated } from '../gate/judge.ts';
import type { Inputs } from '../inputs/inputs.ts';
import {
  clockOrigin,
  clockSince,
  MAX_RECORD_BYTES,
  type MonitorRecord,
  type RecordLine,
  recordOf,
  STOP_REQUESTED,
} from '../monitor/record.ts';
import { recordSamples, sampleTimeout } from '../monitor/sampler.ts';
import type { Report } from '../report/report.ts';
import type { ReportedError } from '../report/reported-error.ts';
import type { Sample } from '../stats/sample.ts';
import { readStats } from '../stats/stats.ts';
import { readStatsWithRetries, statsError } from './measure.ts';
import { FIRST_RETRIES, judgeRecord, requireJudgeable } from './monitor.ts';
import { type RunContext, runScript, type ScriptResult } from './run-script.ts';

// A service with E2B's process service has E2B's path, too, so this is no input.
const STATS_PATH = '/metrics';

/**
 * Runs a script in the sandbox, takes samples meanwhile, and judges them.
 * @throws AgentError or InputError if the gate cannot be judged; then nothing has run
 */
export async function run(inputs: Inputs<'run'>, context: RunContext): Promise<Report> {
  const { sandboxId, baseUrl, name } = inputs;
  const now = clockSince(clockOrigin());
  const { result, record, from, to } = await runAndSample(inputs, context, now);
  const lacksSamples = result.isStarted && record.samples.length === 0 && !context.cancel.aborted;
  const last = lacksSamples ? await takeLastSample(inputs, context, now) : NO_SAMPLE;
  const samples = [...record.samples, ...last.samples];
  const judged = judgeRecord(inputs, { ...record, samples }, { from, to });
  return {
    task: 'run',
    name,
    sandboxId,
    baseUrl,
    cancelled: context.cancel.aborted,
    command: result.command,
    measured: judged.measured,
    errors: [...result.errors, ...last.errors, ...judged.errors],
    warnings: [...result.warnings, ...judged.warnings],
  };
}

interface SampledRun {
  readonly result: ScriptResult;
  readonly record: MonitorRecord;
  /** Unix milliseconds of the start and the end. */
  readonly from: number;
  readonly to: number;
}

async function runAndSample(
  inputs: Inputs<'run'>,
  context: RunContext,
  now: () => number,
): Promise<SampledRun> {
  const ended = new AbortController();
  const cancel = AbortSignal.any([context.cancel, ended.signal]);
  const service = agentService({ ...inputs, timeout: sampleTimeout(inputs) });
  return withClient(service, { ...context, cancel }, async client => {
    await takeFirstSample(inputs, client, context);
    const from = now();
    const sampling = sampleUntil(ended.signal, inputs, client, { ...context, now });
    const running = runScript(inputs, context).finally(() => ended.abort());
    const [result, record] = await Promise.all([running, sampling]);
    return { result, record, from, to: now() };
  });
}

/** Starts the period that the next CPU figure covers. @throws AgentError or InputError */
async function takeFirstSample(
  inputs: Inputs<'run'>,
  client: Client,
  context: RunContext,
): Promise<void> {
  const policy = { statsPath: STATS_PATH, retries: FIRST_RETRIES };
  const outcome = await readStatsWithRetries(policy, client, context);
  if (isGated(inputs)) requireJudgeable(inputs, outcome);
}

/** Takes samples until `ended` aborts. Later ones would show a machine that is idle again. */
async function sampleUntil(
  ended: AbortSignal,
  { sampleInterval: intervalMs }: Inputs<'run'>,
  client: Client,
  context: RunContext,
): Promise<MonitorRecord> {
  const lines: RecordLine[] = [];
  let size = 0;
  await recordSamples(() => readStats(client, STATS_PATH), {
    ...context,
    intervalMs,
    stop: ended,
    isFull: () => size >= MAX_RECORD_BYTES,
    write(line) {
      if (ended.aborted) return;
      lines.push(line);
      size += JSON.stringify(line).length;
    },
  });
  const record = recordOf(lines);
  return { ...record, end: record.end ?? STOP_REQUESTED, crash: undefined };
}

// Over a shorter period, the CPU figure would be that of the request for it.
const LAST_SAMPLE_DELAY_MS = 200;

interface LastSample {
  readonly samples: readonly Sample[];
  readonly errors: readonly ReportedError[];
}

const NO_SAMPLE: LastSample = { samples: [], errors: [] };

/** Takes a sample of a command that ended before its first. */
async function takeLastSample(
  inputs: Inputs<'run'>,
  context: RunContext,
  now: () => number,
): Promise<LastSample> {
  await context.sleep(LAST_SAMPLE_DELAY_MS, context.cancel);
  const policy = { statsPath: STATS_PATH, retries: FIRST_RETRIES };
  const outcome = await withClient(agentService(inputs), context, client =>
    readStatsWithRetries(policy, client, context),
  );
  if ('value' in outcome) return { samples: [{ at: now(), ...outcome.value }], errors: [] };
  return { samples: [], errors: isGated(inputs) ? [statsError(outcome.error)] : [] };
}
