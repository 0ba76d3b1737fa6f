import { quote } from '../text/visible.ts';
import { baseUrl, operationPath } from './base-url.ts';
import { conditions, waiting } from './conditions.ts';
import { fileRules, readableRules, targetDirectory } from './files.ts';
import { extraHeaders, headerPrefix, headerText } from './headers.ts';
import { type Field, parseFields, parseRest, type RawInputs, showFields, type Values } from './parse.ts';
import { choice, duration, field, flag, secret, text, wholeNumber } from './values.ts';

const expiration = field((value, refuse) =>
  /^\d{0,19}$/.test(value) ? value : refuse(`${quote(value)} is not a whole number.`, '1767225600'),
);

/** One of the shares that a plan is dealt out in. */
export interface Shard {
  /** Which share, from 1 to `count`. */
  readonly index: number;
  /** How many shares there are, from 1 to 256. */
  readonly count: number;
}

// So many copies of a job one matrix runs at most.
const MAX_SHARDS = 256;

const shard = field<Shard | undefined>(
  (value, refuse) => {
    if (value === '') return undefined;
    const [, index, count] = (/^(\d{1,3})\/(\d{1,3})$/.exec(value) ?? []).map(Number);
    if (index !== undefined && count !== undefined && 1 <= index && index <= count && count <= MAX_SHARDS)
      return { index, count };
    return refuse(`${quote(value)} is not INDEX/COUNT with 1 ≤ INDEX ≤ COUNT ≤ ${MAX_SHARDS}.`, '2/4');
  },
  value => (value === undefined ? 'empty' : `${value.index} of ${value.count}`),
);

const MAX_CONCURRENCY = 100;

const concurrency = field<number | 'auto'>((value, refuse) => {
  if (value === '' || value === 'auto') return 'auto';
  const number = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= MAX_CONCURRENCY) return number;
  return refuse(`${quote(value)} is neither auto nor a whole number from 1 to ${MAX_CONCURRENCY}.`, 'auto');
}, String);

const sharing = wholeNumber(1, 1000, 1);

// What fits into a shared request by its bytes is mostly less.
const SHARED = 250;

/** How many small files may share a request; a service of E2b's headers serves its packages, which send such requests. */
const filesPerRequest = field((value, refuse, all) => {
  const isSigned = Boolean(all['signature']?.trim());
  if (value === '' || value === 'auto')
    return !isSigned && /^e2b$/i.test(all['header-prefix']?.trim() ?? '') ? SHARED : 1;
  const count = sharing.parse(value, refuse, all);
  if (count === 1 || !isSigned) return count;
  return refuse(`${quote(value)} cannot be combined with a signature, which fits a single target path.`, 'auto');
});

// One group of rows for each thing an entry can do; an input means the same wherever it appears.

const reaching = {
  'sandbox-id': headerText('id', '${{ steps.sandbox.outputs.id }}'),
  token: secret(headerText('token', '${{ steps.sandbox.outputs.token }}', true).parse),
  'base-url': baseUrl,
  'allow-insecure-http': flag(false),
  port: wholeNumber(1, 65_535, 49_983),
  'header-prefix': headerPrefix,
  'stats-path': operationPath('/metrics'),
  headers: extraHeaders,
  timeout: duration(1, '60s'),
};

const trying = { 'upload-path': operationPath('/files'), retries: wholeNumber(0, 10, 4) };

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
  'state-file': text,
  shard,
  concurrency,
  'files-per-request': filesPerRequest,
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

/** Every input of each action.yml. */
const TABLES = {
  sync: { ...reaching, ...trying, ...uploading, ...measuring, ...reporting },
  upload: { ...reaching, ...trying, ...uploading, ...reporting },
  stats: { ...reaching, ...trying, ...measuring, ...reporting },
  monitor: {
    ...reaching,
    ...judging,
    'sample-interval': duration(200, '5s'),
    'max-duration': duration(1000, '6h'),
    ...reporting,
  },
  // What the end of a monitor needs, as it was understood when the monitor started.
  'monitor-end': {
    'sandbox-id': text,
    'base-url': text,
    ...judging,
    'sample-interval': duration(200, '5s'),
    ...reporting,
  },
} as const;

/** What is run, with inputs of its own. */
export type Entry = keyof typeof TABLES;

/** What a step is there for. */
export type Task = Exclude<Entry, 'monitor-end'>;

/** The inputs of an entry, parsed. */
export type Inputs<T extends Entry> = Values<(typeof TABLES)[T]>;

/** How to reach one sandbox. */
export type Connection = Values<typeof reaching>;

/** The task that an entry belongs to. */
export function taskOf(entry: Entry): Task {
  return entry === 'monitor-end' ? 'monitor' : entry;
}

/** The names of an entry's inputs. */
export function inputNames(entry: Entry): string[] {
  return Object.keys(TABLES[entry]);
}

/** The names of the inputs whose values must never be shown. */
export const SECRET_INPUTS: readonly string[] = Object.entries<Field<unknown>>(TABLES.sync)
  .filter(([, { isSecret }]) => isSecret)
  .map(([name]) => name);

/** Parses the inputs of an entry. @throws InputError that lists every input that is wrong. */
export function parseInputs<T extends Entry>(entry: T, raw: RawInputs): Inputs<T> {
  return parseFields(TABLES[entry], raw);
}

/** The inputs of an upload's files, as if what is wrong with them were not given. */
export function parseSearch(raw: RawInputs): Values<typeof uploading> {
  return parseRest({ ...uploading, files: readableRules }, raw);
}

/** The inputs of an entry as they were understood, an input a line. */
export function showInputs<T extends Entry>(entry: T, inputs: Inputs<T>): string[] {
  return showFields(TABLES[entry], inputs);
}
