import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { INPUT_NAMES, parseMonitor } from '../inputs/tasks.ts';
import { startSampler } from '../monitor/start.ts';
import { formatDuration } from '../text/units.ts';
import { openDebugLog } from './debug.ts';
import { costLine, environmentLines, networkLines } from './debug-environment.ts';
import { inputLines } from './debug-inputs.ts';
import { logLine } from './log.ts';
import { keepMonitorDirectory } from './monitor-directory.ts';
import { readInputs } from './runner.ts';
import { publishFailure } from './step.ts';

/** The main step of a monitor: starts the sampling process and returns. */
export async function startMonitor(sampler: string, userAgent: string): Promise<void> {
  const inputs = readInputs(INPUT_NAMES.monitor);
  const debug = openDebugLog(inputs);
  debug?.(...environmentLines(userAgent));
  try {
    const task = parseMonitor(inputs);
    const { connection, intervalMs } = task;
    debug?.(...networkLines(connection.baseUrl), ...inputLines(task));
    // Only this user may enter a directory that mkdtemp makes.
    const directory = await mkdtemp(
      path.join(process.env['RUNNER_TEMP'] || tmpdir(), 'sandbox-sync-monitor-'),
    );
    // Known to the post step before there is anything to end.
    keepMonitorDirectory(directory);
    await startSampler(sampler, directory, { inputs, jobPid: process.ppid });
    debug?.(`Monitor: records into ${directory}, until process ${process.ppid} ends`);
    logLine(`Monitoring sandbox ${connection.sandboxId}, a sample every ${formatDuration(intervalMs)}`);
  } catch (error) {
    await publishFailure({ task: 'monitor', raw: inputs, debug }, error);
  }
  debug?.(costLine());
}
