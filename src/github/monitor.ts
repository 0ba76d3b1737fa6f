import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { INPUT_NAMES, parseMonitor } from '../inputs/tasks.ts';
import { startSampler } from '../monitor/start.ts';
import { formatDuration } from '../report/units.ts';
import { logLine } from './log.ts';
import { keepMonitorDirectory } from './monitor-directory.ts';
import { readInputs } from './runner.ts';
import { publishFailure } from './step.ts';

/** The main step of a monitor: starts the sampling process and returns. */
export async function startMonitor(sampler: string): Promise<void> {
  const inputs = readInputs(INPUT_NAMES.monitor);
  try {
    const { connection, intervalMs } = parseMonitor(inputs);
    // Only this user may enter a directory that mkdtemp makes.
    const directory = await mkdtemp(
      path.join(process.env['RUNNER_TEMP'] || tmpdir(), 'sandbox-sync-monitor-'),
    );
    // Known to the post step before there is anything to end.
    keepMonitorDirectory(directory);
    await startSampler(sampler, directory, { inputs, jobPid: process.ppid });
    logLine(`Monitoring sandbox ${connection.sandboxId}, a sample every ${formatDuration(intervalMs)}`);
  } catch (error) {
    await publishFailure('monitor', inputs, error);
  }
}
