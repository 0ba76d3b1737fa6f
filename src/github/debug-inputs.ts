import type { Condition } from '../gate/conditions.ts';
import type { GateRules } from '../gate/judge.ts';
import type { Connection } from '../inputs/connection.ts';
import type { MeasurementInputs } from '../inputs/measurement.ts';
import type { AnyTask } from '../inputs/tasks.ts';
import type { UploadInputs } from '../inputs/upload.ts';
import { formatDuration } from '../text/units.ts';

/** The inputs of a task as they were understood, under their names; of secrets, whether they are set. */
export function inputLines(task: AnyTask): string[] {
  const { connection, upload, measurement, gate = measurement?.gate, intervalMs, maxDurationMs } = task;
  const lines = [
    ...connectionLines(connection),
    ...(upload === undefined ? [] : uploadLines(upload)),
    ...(measurement === undefined ? [] : measurementLines(measurement)),
    ...(gate === undefined ? [] : gateLines(gate)),
    ...(intervalMs === undefined ? [] : [`interval: ${formatDuration(intervalMs)}`]),
    ...(maxDurationMs === undefined ? [] : [`max-duration: ${formatDuration(maxDurationMs)}`]),
  ];
  return lines.map(line => `Input ${line}`);
}

function connectionLines(connection: Connection): string[] {
  const { sandboxId, baseUrl, port, uploadPath, statsPath, headers, retries, timeoutMs } = connection;
  return [
    `sandbox-id: ${shown(sandboxId)}`,
    `token: ${isSet(headers['X-Access-Token'])}`,
    `base-url: ${baseUrl}`,
    `port: ${port}`,
    `upload-path: ${shown(uploadPath)}`,
    `stats-path: ${shown(statsPath)}`,
    `headers, with those of every request: ${Object.keys(headers).join(', ')}`,
    `retries: ${retries}`,
    `timeout: ${formatDuration(timeoutMs)}`,
  ];
}

function uploadLines(upload: UploadInputs): string[] {
  const { rules, query, shard } = upload;
  return [
    ...rules.patterns.map(
      ({ pattern, target }) =>
        `files: ${shown(pattern)}${target === undefined ? '' : ` => ${shown(target)}`}`,
    ),
    ...rules.excludes.map(exclude => `files: except ${shown(exclude)}`),
    `target: ${shown(upload.target)}`,
    `working-directory: ${shown(upload.workingDirectory)}`,
    `username: ${shown(query['username'])}`,
    `signature: ${isSet(query['signature'])}`,
    `signature-expiration: ${shown(query['signature_expiration'])}`,
    `if-no-files-found: ${upload.ifNoFilesFound}`,
    `include-hidden-files: ${upload.includeHidden}`,
    `follow-symlinks: ${upload.followSymlinks}`,
    `state-file: ${shown(upload.stateFile)}`,
    `shard: ${shard === undefined ? 'empty' : `${shard.index} of ${shard.count}`}`,
    `concurrency: ${upload.concurrency}`,
    `files-per-request: ${upload.filesPerRequest}`,
    `dry-run: ${upload.dryRun}`,
  ];
}

function measurementLines({ wait, samples, intervalMs }: MeasurementInputs): string[] {
  return [
    `wait-until: ${conditions(wait.until)}`,
    `wait-timeout: ${formatDuration(wait.timeoutMs)}`,
    `samples: ${samples}`,
    `sample-interval: ${formatDuration(intervalMs)}`,
  ];
}

function gateLines({ failIf, warnIf }: GateRules): string[] {
  return [`fail-if: ${conditions(failIf)}`, `warn-if: ${conditions(warnIf)}`];
}

function conditions(all: readonly Condition[]): string {
  return all.length === 0 ? 'empty' : all.map(({ text }) => text).join(', ');
}

function isSet(secret: string | undefined): string {
  return secret ? 'set' : 'empty';
}

function shown(text: string | undefined): string {
  return text ? JSON.stringify(text) : 'empty';
}
