import { baseUrl, DEFAULT_PORT, operationPath, STATS_PATH, UPLOAD_PATH } from './base-url.ts';
import { conditions, waiting } from './condition-fields.ts';
import { sandboxId, token } from './credentials.ts';
import {
  choice,
  duration,
  type Field,
  flag,
  type RawInputs,
  type Refuse,
  secret,
  text,
  wholeNumber,
} from './fields.ts';
import { fileRules, targetDirectory } from './files.ts';
import { extraHeaders, headerPrefix } from './headers.ts';
import { inputError, parseAll } from './input-error.ts';
import {
  apiHeaders,
  apiKey,
  apiUrl,
  existingSandboxId,
  keyValues,
  optionalFlag,
  templateName,
} from './sandbox-fields.ts';
import { concurrency, expiration, filesPerRequest, runnerPath, shard } from './upload-fields.ts';

// One group of rows for each thing an entry can do; an input means the same wherever it appears.

const reaching = {
  'sandbox-id': sandboxId,
  token,
  'base-url': baseUrl,
  'allow-insecure-http': flag(false),
  port: wholeNumber(1, 65_535, DEFAULT_PORT),
  'header-prefix': headerPrefix,
  'stats-path': operationPath(STATS_PATH),
  headers: extraHeaders,
  timeout: duration(1, '60s'),
};

const retrying = { 'upload-path': operationPath(UPLOAD_PATH), retries: wholeNumber(0, 10, 4) };

const uploading = {
  files: fileRules,
  target: targetDirectory,
  'working-directory': text,
  username: text,
  signature: secret(text.parse),
  'signature-expiration': expiration,
  'if-no-files-found': choice('error', 'warn', 'ignore'),
  'include-hidden-files': flag(false),
  'follow-symlinks': flag(true),
  'state-file': runnerPath,
  shard,
  concurrency,
  'files-per-request': filesPerRequest,
  checksums: flag(false),
  'dry-run': flag(false),
};

const judging = { 'fail-if': conditions, 'warn-if': conditions };

const measuring = {
  ...judging,
  'wait-until': waiting,
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

/** Every input of each action.yml. */
const TABLES = {
  sync: { ...reaching, ...retrying, ...uploading, ...measuring, ...reporting },
  upload: { ...reaching, ...retrying, ...uploading, ...reporting },
  stats: { ...reaching, ...retrying, ...measuring, ...reporting },
  monitor: {
    ...reaching,
    ...judging,
    'sample-interval': duration(200, '5s'),
    'max-duration': duration(1000, '6h'),
    name: text,
    ...reporting,
  },
  'monitor-stop': { monitor: text, ...reporting },
  // What the end of a monitor needs, as its main step understood it.
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
    delete: optionalFlag,
    wait: flag(true),
  },
  'sandbox-end': controlling,
} as const;

/** A script of the action with inputs of its own. */
export type Entry = keyof typeof TABLES;

/** An entry whose step ends with a report. */
export type ReportingEntry = Exclude<Entry, 'sandbox' | 'sandbox-end'>;

/** What a step with a report is for. */
export type Task = Exclude<ReportingEntry, 'monitor-stop' | 'monitor-end'>;

type Fields = Readonly<Record<string, Field<unknown>>>;

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

type Values<F extends Fields> = {
  readonly [Name in keyof F & string as Camel<Name>]: F[Name] extends Field<infer T> ? T : never;
};

/** The inputs of an entry, parsed. */
export type Inputs<T extends Entry> = Values<(typeof TABLES)[T]>;

export type Connection = Values<typeof reaching>;

export function taskOf(entry: ReportingEntry): Task {
  return entry === 'monitor-end' || entry === 'monitor-stop' ? 'monitor' : entry;
}

export function inputNames(entry: Entry): string[] {
  return Object.keys(TABLES[entry]);
}

export const SECRET_INPUTS: readonly string[] = Object.entries<Field<unknown>>({
  ...TABLES.sync,
  ...TABLES.sandbox,
})
  .filter(([, { isSecret }]) => isSecret)
  .map(([name]) => name);

/** Parses the inputs of an entry. @throws InputError that lists every input that is wrong */
export function parseInputs<T extends Entry>(entry: T, raw: RawInputs): Inputs<T> {
  return parseFields(TABLES[entry], raw);
}

/** Parses every input that has a field. @throws InputError with the problems of all of them */
export function parseFields<F extends Fields>(fields: F, raw: RawInputs): Values<F> {
  const parsed = parseAll(Object.entries(fields), ([name, { parse }]) => {
    const refuse: Refuse = (message, example) => {
      throw inputError(name, message, example);
    };
    return [[toCamel(name), parse((raw[name] ?? '').trim(), refuse, raw)]];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value is its field's
  return Object.fromEntries(parsed) as Values<F>;
}

/** The inputs of an entry as they were understood, one per line, without secrets. */
export function showInputs<T extends Entry>(entry: T, inputs: Inputs<T>): string[] {
  const values = new Map<string, unknown>(Object.entries(inputs));
  return Object.entries<Field<unknown>>(TABLES[entry]).map(
    ([name, field]) => `${name}: ${field.show(values.get(toCamel(name)))}`,
  );
}

function toCamel(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
