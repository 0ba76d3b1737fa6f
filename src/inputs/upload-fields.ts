import { findInvisible, quote } from '../text/visible.ts';
import { field, type Parser } from './fields.ts';
import { findUnexpanded } from './slips.ts';

/** One of the parts that a plan is split into. */
export interface Shard {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
}

// A matrix runs at most 256 copies of a job.
const MAX_SHARDS = 256;

export const shard = field<Shard | undefined>(
  (value, refuse) => {
    if (value === '') return undefined;
    const [, index = 0, count = 0] = (/^(\d{1,3})\/(\d{1,3})$/.exec(value) ?? []).map(Number);
    if (1 <= index && index <= count && count <= MAX_SHARDS) return { index, count };
    const from = value.startsWith('0/')
      ? ' The first is 1, but strategy.job-index begins with 0.'
      : '';
    return refuse(
      `${quote(value)} is not INDEX/COUNT with 1 ≤ INDEX ≤ COUNT ≤ ${MAX_SHARDS}.${from}`,
      '2/4',
    );
  },
  value => (value === undefined ? 'empty' : `${value.index} of ${value.count}`),
);

/** `auto`, which is also what empty means, or a whole number from 1 to `max`. */
function autoOr(max: number): Parser<number | 'auto'> {
  return (value, refuse) => {
    if (value === '' || value === 'auto') return 'auto';
    const number = /^\d{1,4}$/.test(value) ? Number(value) : 0;
    if (number >= 1 && number <= max) return number;
    return refuse(`${quote(value)} is neither auto nor a whole number from 1 to ${max}.`, 'auto');
  };
}

export const concurrency = field(autoOr(100), String);

const parseBatchSize = autoOr(1000);

// A batch usually reaches its limit of a megabyte earlier.
const AUTO_BATCH_SIZE = 250;

/** How many small files may share a request. E2B's agent accepts batches. */
export const filesPerRequest = field((value, refuse, all) => {
  const isSigned = Boolean(all['signature']?.trim());
  const count = parseBatchSize(value, refuse, all);
  if (count === 'auto') {
    const isE2b = /^e2b$/i.test(all['header-prefix']?.trim() ?? '');
    return isE2b && !isSigned ? AUTO_BATCH_SIZE : 1;
  }
  if (count === 1 || !isSigned) return count;
  return refuse(
    `${quote(value)} cannot be combined with a signature, which fits a single target path.`,
    'auto',
  );
});

export const expiration = field((value, refuse) =>
  /^\d{0,19}$/.test(value)
    ? value
    : refuse(`${quote(value)} is not a whole number: the Unix time in seconds.`, '1767225600'),
);

/** A path on the runner. */
export const runnerPath = field((value, refuse) => {
  const invisible = findInvisible(value);
  if (invisible !== undefined)
    return refuse(`${quote(value)} has the invisible character ${invisible}.`, 'cache/state.json');
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(value))
    return refuse(
      `${quote(value)} is a URL. Name a file of the runner, and keep it with actions/cache.`,
      'cache/state.json',
    );
  if (/\/$|^(true|yes|on)$/i.test(value))
    return refuse(`${quote(value)} does not name a file.`, 'cache/state.json');
  const unexpanded = findUnexpanded(value);
  if (unexpanded === undefined) return value;
  return refuse(
    `${quote(value)}: ${unexpanded} is not expanded. Write the path; a relative one is below the workspace.`,
    'cache/state.json',
  );
});
