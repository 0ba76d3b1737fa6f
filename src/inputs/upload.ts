import { quote } from '../text/visible.ts';
import { type FileRules, fileRules, targetDirectory } from './files.ts';
import type { Parser, parseInputs } from './parse.ts';
import { type Shard, shard } from './shard.ts';
import { choice, flag, text, wholeNumber } from './values.ts';

/** What to upload, and how. */
export interface UploadInputs {
  readonly rules: FileRules;
  /** Directory in the sandbox for the patterns that name none; empty is the user's home. */
  readonly target: string;
  /** As given: absolute, or relative to the workspace; empty is the workspace. */
  readonly workingDirectory: string;
  readonly ifNoFilesFound: 'error' | 'warn' | 'ignore';
  readonly includeHidden: boolean;
  readonly followSymlinks: boolean;
  /** Uploads in flight, 1–100, or as many as prove to be of use. */
  readonly concurrency: number | 'auto';
  /** Small files that may share a request, 1–1000. */
  readonly filesPerRequest: number;
  /** The contract's query parameters beside `path`; none is empty. */
  readonly query: Readonly<Record<string, string>>;
  /** As given: absolute, or relative to the workspace; empty is none. */
  readonly stateFile: string;
  /** The share of the plan to upload; undefined is all of it. */
  readonly shard: Shard | undefined;
  /** Plan only, send nothing. */
  readonly dryRun: boolean;
}

const expiration: Parser<string> = (value, refuse) =>
  /^\d{0,19}$/.test(value) ? value : refuse(`${quote(value)} is not a whole number.`, '1767225600');

const MAX_CONCURRENCY = 100;

const concurrency: Parser<number | 'auto'> = (value, refuse) => {
  if (value === '' || value === 'auto') return 'auto';
  const number = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= MAX_CONCURRENCY) return number;
  return refuse(`${quote(value)} is neither auto nor a whole number from 1 to ${MAX_CONCURRENCY}.`, 'auto');
};

const sharing = wholeNumber(1, 1000, 1);

const filesPerRequest: Parser<number> = (value, refuse, all) => {
  const count = sharing(value, refuse, all);
  if (count === 1 || !all['signature']?.trim()) return count;
  return refuse(`${quote(value)} cannot go with a signature, which fits a single target path.`, '1');
};

/** The inputs of the tasks that upload. */
export const uploadSchema = {
  files: fileRules,
  target: targetDirectory,
  'working-directory': text(),
  username: text(),
  signature: text(),
  'signature-expiration': expiration,
  'if-no-files-found': choice('error', 'warn', 'ignore'),
  'include-hidden-files': flag(false),
  'follow-symlinks': flag(true),
  'state-file': text(),
  shard,
  concurrency,
  'files-per-request': filesPerRequest,
  'dry-run': flag(false),
};

/** Puts the parsed inputs of `uploadSchema` together. */
export function toUpload(inputs: ReturnType<typeof parseInputs<typeof uploadSchema>>): UploadInputs {
  const query = {
    username: inputs.username,
    signature: inputs.signature,
    signature_expiration: inputs['signature-expiration'],
  };
  return {
    rules: inputs.files,
    target: inputs.target,
    workingDirectory: inputs['working-directory'],
    ifNoFilesFound: inputs['if-no-files-found'],
    includeHidden: inputs['include-hidden-files'],
    followSymlinks: inputs['follow-symlinks'],
    concurrency: inputs.concurrency,
    filesPerRequest: inputs['files-per-request'],
    // An empty username is refused by real services, so what is empty is left out.
    query: Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')),
    stateFile: inputs['state-file'],
    shard: inputs.shard,
    dryRun: inputs['dry-run'],
  };
}
