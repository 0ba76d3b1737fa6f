import { type FileRules, fileRules, targetDirectory } from './files.ts';
import type { Parser, parseInputs } from './parse.ts';
import { choice, flag, quote, text, wholeNumber } from './values.ts';

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
  /** Plan only, send nothing. */
  readonly dryRun: boolean;
}

const expiration: Parser<string> = (value, refuse) =>
  /^\d{0,19}$/.test(value) ? value : refuse(`${quote(value)} is not a whole number.`, '1767225600');

const connections = wholeNumber(1, 100, 10);

const concurrency: Parser<number | 'auto'> = (value, refuse, all) =>
  value === 'auto'
    ? value
    : connections(value, (message, example) => refuse(message.replace(/\.$/, ', or auto.'), example), all);

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
    dryRun: inputs['dry-run'],
  };
}
