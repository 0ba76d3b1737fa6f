import { getState, saveState } from '@actions/core';

// A file of its own, so that the post step does not load what starts a monitor.
const STATE = 'directory';

/** Leaves the directory of a monitor to the job's post step. */
export function keepMonitorDirectory(directory: string): void {
  saveState(STATE, directory);
}

/** The directory of the monitor that this job's main step started; undefined where it did not come to that. */
export function monitorDirectory(): string | undefined {
  return getState(STATE) || undefined;
}
