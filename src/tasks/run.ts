import { agentService, type Client, withClient } from '../agent/client.ts';
import { isGated } from '../gate/judge.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { MAX_RECORD_BYTES, type RecordLine, recordOf, STOP_REQUESTED } from '../monitor/record.ts';
import { recordSamples, sampleTimeout } from '../monitor/sampler.ts';
import { type Report, reportOf } from '../report/report.ts';
import { readStats } from '../stats/stats.ts';
import { readStatsWithRetries } from './measure.ts';
import { FIRST_RETRIES, type JudgedRecord, judgeRecord, requireJudgeable } from './monitor.ts';
import { type RunContext, runScript, type ScriptResult } from './run-script.ts';

// A service with E2B's process service also has E2B's path, so this is not an input.
const STATS_PATH = '/metrics';

/**
 * Runs a script in the sandbox, takes samples meanwhile, and judges them.
 * @throws AgentError or InputError if the gate cannot be judged; then nothing has run
 */
export async function run(inputs: Inputs<'run'>, context: RunContext): Promise<Report> {
  const service = agentService({ ...inputs, timeout: sampleTimeout(inputs) });
  const { result, judged } = await withClient(service, context, async client => {
    const policy = { statsPath: STATS_PATH, retries: FIRST_RETRIES };
    // Also starts the period that the next CPU figure covers.
    const first = await readStatsWithRetries(policy, client, context);
    if (isGated(inputs)) requireJudgeable(inputs, first);
    return runAndSample(inputs, client, context);
  });
  const isJudged = result.isStarted && !context.cancel.aborted;
  return reportOf('run', inputs, context.cancel, {
    name: inputs.name,
    command: result.command,
    measured: judged.measured,
    errors: [...result.errors, ...(isJudged ? judged.errors : [])],
    warnings: [...result.warnings, ...(isJudged ? judged.warnings : [])],
  });
}

// Over a shorter period, the CPU figure would mostly measure the request itself.
const LAST_SAMPLE_DELAY_MS = 200;

async function runAndSample(
  inputs: Inputs<'run'>,
  client: Client,
  context: RunContext,
): Promise<{ readonly result: ScriptResult; readonly judged: JudgedRecord }> {
  const ended = new AbortController();
  const stop = AbortSignal.any([ended.signal, context.cancel]);
  const lines: RecordLine[] = [];
  const hasSample = () => lines.some(line => 'stats' in line);
  // A sample after the end shows a machine that is idle again, so it only counts if it is alone.
  const isWanted = () => !stop.aborted || !(context.cancel.aborted || hasSample());
  let size = 0;
  const from = context.now();
  const sampling = recordSamples(() => readStats(client, STATS_PATH), {
    ...context,
    stop,
    intervalMs: inputs.sampleInterval,
    isFull: () => size >= MAX_RECORD_BYTES,
    write(line) {
      if (!isWanted()) return;
      lines.push(line);
      size += JSON.stringify(line).length;
    },
  });
  const running = async () => {
    try {
      return await runScript(inputs, context);
    } finally {
      if (!hasSample()) await context.sleep(LAST_SAMPLE_DELAY_MS, context.cancel);
      ended.abort(STOP_REQUESTED);
    }
  };
  const [result] = await Promise.all([running(), sampling]);
  const seen = recordOf(result.isStarted ? lines : []);
  const record = { ...seen, end: seen.end ?? STOP_REQUESTED, crash: undefined };
  return { result, judged: judgeRecord(inputs, record, { from, to: context.now() }) };
}
