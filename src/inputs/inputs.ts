import { conditions, waitConditions } from './conditions.ts';
import { apiUrl, baseUrl, DEFAULT_PORT, headers, sandboxId } from './connection.ts';
import { downloadLines, fileRules } from './files.ts';
import { textInput } from './mistakes.ts';
import {
  anyText,
  byteSize,
  choice,
  concurrency,
  createOptions,
  duration,
  flag,
  type InputParser,
  keyValues,
  optional,
  shard,
  variables,
  wholeNumber,
} from './parsers.ts';

/** Maps each action to the folder of its action.yml and its scripts in src/main, main one first. */
export const ACTIONS = {
  sync: { folder: '.', scripts: ['sync'] },
  upload: { folder: 'upload', scripts: ['upload'] },
  download: { folder: 'download', scripts: ['download'] },
  stats: { folder: 'stats', scripts: ['stats'] },
  run: { folder: 'run', scripts: ['run'] },
  monitor: { folder: 'monitor', scripts: ['monitor', 'monitor-sampler', 'monitor-post'] },
  'monitor-stop': { folder: 'monitor/stop', scripts: ['monitor-stop'] },
  sandbox: { folder: 'sandbox', scripts: ['sandbox', 'sandbox-post'] },
} as const;

export type ActionName = keyof typeof ACTIONS;

const headerPrefix = textInput('header-prefix', 'E2b');
const token = textInput('token', '${{ steps.sandbox.outputs.token }}');

const connectionInputs = {
  'sandbox-id': sandboxId,
  token,
  'base-url': baseUrl,
  'allow-insecure-http': flag(false),
  port: wholeNumber(1, 65_535, DEFAULT_PORT),
  'header-prefix': headerPrefix,
  headers,
  timeout: duration(1, '60s'),
};

const retries = wholeNumber(0, 10, 4);
const statsPath = textInput('url-path', '/metrics', '/metrics');
const summary = flag(true);

const uploadInputs = {
  'upload-path': textInput('url-path', '/files', '/files'),
  files: fileRules,
  target: textInput('target', 'app'),
  'working-directory': anyText,
  username: anyText,
  signature: anyText,
  'signature-expiration': textInput('unix-time', '1798761600'),
  'if-no-files-found': choice('error', 'warn', 'ignore'),
  'include-hidden-files': flag(false),
  'follow-symlinks': flag(undefined),
  'state-file': anyText,
  shard,
  concurrency,
  'files-per-request': wholeNumber(1, 1000, 'auto'),
  checksums: flag(false),
  'dry-run': flag(false),
};

const downloadInputs = {
  files: downloadLines,
  'working-directory': anyText,
  'max-size': byteSize('1GiB'),
  username: anyText,
  'if-no-files-found': choice('error', 'warn', 'ignore'),
  concurrency,
};

const gateInputs = { 'fail-if': conditions, 'warn-if': conditions };

const statsInputs = {
  'stats-path': statsPath,
  ...gateInputs,
  'wait-until': waitConditions,
  'wait-timeout': duration(1, '5m'),
  samples: wholeNumber(1, 1000, 1),
  'sample-interval': duration(200, '1s'),
};

const monitorInputs = {
  ...gateInputs,
  'sample-interval': duration(200, '5s'),
  name: anyText,
  summary,
};

const runInputs = {
  run: textInput('script', 'npm ci && npm test'),
  'working-directory': anyText,
  env: variables,
  username: anyText,
  'max-duration': optional(duration(1000, '1h')),
  ...monitorInputs,
  'sample-interval': duration(200, '1s'),
};

const apiInputs = {
  'api-url': apiUrl,
  'api-key': textInput('api-key', '${{ secrets.E2B_API_KEY }}'),
  headers,
  retries,
  timeout: duration(1, '60s'),
};

/** Maps each action, and each post step with saved inputs, to the parsers of its inputs. */
export const INPUTS = {
  sync: { ...connectionInputs, retries, ...uploadInputs, ...statsInputs, summary },
  upload: { ...connectionInputs, retries, ...uploadInputs, summary },
  download: { ...connectionInputs, retries, ...downloadInputs, summary },
  stats: { ...connectionInputs, retries, ...statsInputs, summary },
  monitor: {
    ...connectionInputs,
    'stats-path': statsPath,
    ...monitorInputs,
    'max-duration': duration(1000, '6h'),
  },
  'monitor-stop': { monitor: anyText, summary },
  run: { ...connectionInputs, retries, ...runInputs },
  // The main step of a monitor saves these inputs for its post step and for monitor/stop.
  'monitor-end': { 'sandbox-id': anyText, 'base-url': anyText, ...monitorInputs },
  sandbox: {
    ...apiInputs,
    template: anyText,
    lifetime: duration(1000, '15m'),
    metadata: keyValues,
    env: variables,
    'create-options': createOptions,
    'sandbox-id': sandboxId,
    token,
    'base-url': baseUrl,
    'header-prefix': headerPrefix,
    delete: flag(undefined),
  },
  'sandbox-end': {
    ...apiInputs,
    template: anyText,
    'sandbox-id': anyText,
    delete: flag(undefined),
  },
} as const satisfies Readonly<Record<ActionName | 'monitor-end' | 'sandbox-end', InputParsers>>;

export type InputParsers = Readonly<Record<string, InputParser<unknown>>>;

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

export type ParsedBy<P extends InputParsers> = {
  readonly [Name in keyof P & string as CamelCase<Name>]: ReturnType<P[Name]>;
};

export type Inputs<T extends keyof typeof INPUTS> = ParsedBy<(typeof INPUTS)[T]>;

export type Connection = ParsedBy<typeof connectionInputs>;
