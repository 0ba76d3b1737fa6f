import type { GateRules } from '../gate/judge.ts';
import { type Connection, connectionSchema, reachSchema, toConnection } from './connection.ts';
import {
  gateSchema,
  type MeasurementInputs,
  measurementSchema,
  toGate,
  toMeasurement,
} from './measurement.ts';
import { parseInputs, type RawInputs } from './parse.ts';
import { toUpload, type UploadInputs, uploadSchema } from './upload.ts';
import { duration, flag } from './values.ts';

// One schema for each action.yml. The parts are shared, so an input means the same wherever it appears.
const summary = flag(true);
const uploadTask = { ...connectionSchema, ...uploadSchema, summary };
const statsTask = { ...connectionSchema, ...measurementSchema, summary };
const syncTask = { ...uploadTask, ...statsTask };
const monitorTask = {
  ...reachSchema,
  ...gateSchema,
  interval: duration(200, '5s'),
  'max-duration': duration(1000, '6h'),
  summary,
};

/** The names of each task's inputs. */
export const INPUT_NAMES = {
  sync: Object.keys(syncTask),
  upload: Object.keys(uploadTask),
  stats: Object.keys(statsTask),
  monitor: Object.keys(monitorTask),
} as const;

export interface UploadTask {
  readonly connection: Connection;
  readonly upload: UploadInputs;
}

export interface StatsTask {
  readonly connection: Connection;
  readonly measurement: MeasurementInputs;
}

export type SyncTask = UploadTask & StatsTask;

export interface MonitorTask {
  readonly connection: Connection;
  readonly gate: GateRules;
  /** Time between samples, in milliseconds. */
  readonly intervalMs: number;
  /** After which the monitor ends by itself, in milliseconds. */
  readonly maxDurationMs: number;
}

/** What is known of a task, whichever it is. */
export type AnyTask = Pick<SyncTask, 'connection'> & Partial<SyncTask & MonitorTask>;

// Each of these throws an InputError that lists every input that is wrong.

export function parseSync(raw: RawInputs): SyncTask {
  const inputs = parseInputs(syncTask, raw);
  return {
    connection: toConnection(inputs, [inputs.signature]),
    upload: toUpload(inputs),
    measurement: toMeasurement(inputs),
  };
}

export function parseUpload(raw: RawInputs): UploadTask {
  const inputs = parseInputs(uploadTask, raw);
  return { connection: toConnection(inputs, [inputs.signature]), upload: toUpload(inputs) };
}

export function parseStats(raw: RawInputs): StatsTask {
  const inputs = parseInputs(statsTask, raw);
  return { connection: toConnection(inputs), measurement: toMeasurement(inputs) };
}

export function parseMonitor(raw: RawInputs): MonitorTask {
  const inputs = parseInputs(monitorTask, raw);
  return {
    connection: toConnection(inputs),
    gate: toGate(inputs),
    intervalMs: inputs.interval,
    maxDurationMs: inputs['max-duration'],
  };
}
