import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseKeyValueFile } from './key-value-file.ts';

/** What a process told the runner by way of files. */
export interface Told {
  readonly outputs: Readonly<Record<string, string>>;
  /** What it left for its post step. */
  readonly state: Readonly<Record<string, string>>;
  /** Variables for the steps after it. */
  readonly env: Readonly<Record<string, string>>;
  /** The job summary, as Markdown. */
  readonly summary: string;
}

/** Files by which a process tells the runner things. Disposing of them removes them. */
export interface FileCommands extends AsyncDisposable {
  /** The variables that name the files. */
  readonly variables: Readonly<Record<string, string>>;
  /** What was written to them. */
  readonly read: () => Promise<Told>;
}

/** Makes such files for one process, in a folder of their own. */
export async function openFileCommands(temp: string): Promise<FileCommands> {
  const folder = await mkdtemp(path.join(temp, '_runner_file_commands-'));
  const files = {
    GITHUB_OUTPUT: path.join(folder, 'output'),
    GITHUB_STATE: path.join(folder, 'state'),
    GITHUB_ENV: path.join(folder, 'env'),
    GITHUB_STEP_SUMMARY: path.join(folder, 'summary'),
  };
  for (const file of Object.values(files)) await writeFile(file, '');
  return {
    variables: files,
    read: async () => ({
      outputs: parseKeyValueFile(await readFile(files.GITHUB_OUTPUT, 'utf8')),
      state: parseKeyValueFile(await readFile(files.GITHUB_STATE, 'utf8')),
      env: parseKeyValueFile(await readFile(files.GITHUB_ENV, 'utf8')),
      summary: await readFile(files.GITHUB_STEP_SUMMARY, 'utf8'),
    }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
