import {
  apiHeaders,
  apiKey,
  apiUrl,
  baseUrl,
  DEFAULT_PORT,
  existingSandboxId,
  extraHeaders,
  headerPrefix,
  operationPath,
  sandboxId,
  secretsInHeaders,
  token,
} from './connection.ts';
import { fileRules, targetDirectory } from './files.ts';
import { inputError, parseAll } from './input-error.ts';
import {
  choice,
  concurrency,
  conditions,
  duration,
  filesPerRequest,
  flag,
  type InputParser,
  keyValues,
  type RawInputs,
  type Reject,
  shard,
  templateName,
  text,
  waitConditions,
  wholeNumber,
} from './parsers.ts';

// Inputs that several actions share, grouped by purpose.

const connecting = {
  'sandbox-id': sandboxId,
  token,
  'base-url': baseUrl,
  'allow-insecure-http': flag(false),
  port: wholeNumber(1, 65_535, DEFAULT_PORT),
  'header-prefix': headerPrefix,
  headers: extraHeaders,
  timeout: duration(1, '60s'),
};

const retrying = { retries: wholeNumber(0, 10, 4) };

const uploading = {
  'upload-path': operationPath('/files'),
  files: fileRules,
  target: targetDirectory,
  'working-directory': text,
  username: text,
  signature: text,
  'signature-expiration': text,
  'if-no-files-found': choice('error', 'warn', 'ignore'),
  'include-hidden-files': flag(false),
  'follow-symlinks': flag(undefined),
  'state-file': text,
  shard,
  concurrency,
  'files-per-request': filesPerRequest,
  checksums: flag(false),
  'dry-run': flag(false),
};

const sampling = { 'stats-path': operationPath('/metrics') };

const judging = { 'fail-if': conditions, 'warn-if': conditions };

const measuring = {
  ...sampling,
  ...judging,
  'wait-until': waitConditions,
  'wait-timeout': duration(1, '5m'),
  samples: wholeNumber(1, 1000, 1),
  'sample-interval': duration(200, '1s'),
};

const reporting = { summary: flag(true) };

const controlling = {
  'api-url': apiUrl,
  'api-key': apiKey,
  headers: apiHeaders,
  retries: wholeNumber(0, 10, 4),
  timeout: duration(1, '60s'),
};

const INPUTS = {
  sync: { ...connecting, ...retrying, ...uploading, ...measuring, ...reporting },
  upload: { ...connecting, ...retrying, ...uploading, ...reporting },
  stats: { ...connecting, ...retrying, ...measuring, ...reporting },
  monitor: {
    ...connecting,
    ...sampling,
    ...judging,
    'sample-interval': duration(200, '5s'),
    'max-duration': duration(1000, '6h'),
    name: text,
    ...reporting,
  },
  'monitor-stop': { monitor: text, ...reporting },
  // The main step saves these inputs for the end of the monitor.
  'monitor-end': {
    'sandbox-id': text,
    'base-url': text,
    ...judging,
    'sample-interval': duration(200, '5s'),
    name: text,
    ...reporting,
  },
  sandbox: {
    ...controlling,
    template: templateName,
    lifetime: duration(1000, '15m'),
    metadata: keyValues,
    env: keyValues,
    'sandbox-id': existingSandboxId,
    delete: flag(undefined),
  },
  'sandbox-end': controlling,
} as const;

const SECRET_INPUTS = ['token', 'signature', 'api-key'];

export function secretsIn(raw: RawInputs): string[] {
  const inputs = SECRET_INPUTS.map(name => (raw[name] ?? '').trim());
  const headers = secretsInHeaders(raw['headers'] ?? '');
  // Expressions without a result yield these values; masking them would garble the log.
  return [...inputs, ...headers].filter(secret => !['', 'null', 'undefined'].includes(secret));
}

export type EntryPoint = keyof typeof INPUTS;

export type ReportingEntryPoint = Exclude<EntryPoint, 'sandbox' | 'sandbox-end'>;

export type Task = Exclude<ReportingEntryPoint, 'monitor-stop' | 'monitor-end'>;

type InputParsers = Readonly<Record<string, InputParser<unknown>>>;

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

type Values<F extends InputParsers> = {
  readonly [Name in keyof F & string as Camel<Name>]: ReturnType<F[Name]>;
};

export type Inputs<T extends EntryPoint> = Values<(typeof INPUTS)[T]>;

export type Connection = Values<typeof connecting>;

export function taskOf(entry: ReportingEntryPoint): Task {
  return entry === 'monitor-end' || entry === 'monitor-stop' ? 'monitor' : entry;
}

export function inputNames(entry: EntryPoint): string[] {
  return Object.keys(INPUTS[entry]);
}

/** @throws InputError that lists every invalid input */
export function parseInputs<T extends EntryPoint>(entry: T, raw: RawInputs): Inputs<T> {
  const fields: InputParsers = INPUTS[entry];
  const parsed = parseAll(Object.entries(fields), ([name, parse]) => {
    const reject: Reject = (message, example) => {
      throw inputError(name, message, example);
    };
    const key = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    return [key, parse((raw[name] ?? '').trim(), reject, raw)];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value comes from its field
  return Object.fromEntries(parsed) as Inputs<T>;
}
