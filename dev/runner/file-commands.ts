import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** What a process wrote to the runner's files. */
export interface Told {
  readonly outputs: Readonly<Record<string, string>>;
  /** State for its post step. */
  readonly state: Readonly<Record<string, string>>;
  /** Variables for the steps after it. */
  readonly env: Readonly<Record<string, string>>;
  /** The job summary, as Markdown. */
  readonly summary: string;
}

/**
 * Creates the files by which one process talks to the runner, in their own folder. Disposing of them
 * deletes them.
 */
export async function openFileCommands(temp: string) {
  const folder = await mkdtemp(path.join(temp, '_runner_file_commands-'));
  const files = {
    GITHUB_OUTPUT: path.join(folder, 'output'),
    GITHUB_STATE: path.join(folder, 'state'),
    GITHUB_ENV: path.join(folder, 'env'),
    GITHUB_STEP_SUMMARY: path.join(folder, 'summary'),
  };
  for (const file of Object.values(files)) await writeFile(file, '');
  const read = async (file: string) => parseKeyValueFile(await readFile(file, 'utf8'));
  return {
    /** Name the files. */
    variables: files,
    /** Reads what was written. */
    told: async (): Promise<Told> => ({
      outputs: await read(files.GITHUB_OUTPUT),
      state: await read(files.GITHUB_STATE),
      env: await read(files.GITHUB_ENV),
      summary: await readFile(files.GITHUB_STEP_SUMMARY, 'utf8'),
    }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/**
 * Parses the file that GITHUB_OUTPUT, GITHUB_ENV or GITHUB_STATE names: lines of `name=value`, and
 * blocks of `name<<delimiter`, the value's lines, `delimiter`. On Windows a line may end with
 * `\r\n`; a value keeps its own.
 * @throws Error where a block is not closed or a line is neither.
 */
export function parseKeyValueFile(
  text: string,
  isWindows = process.platform === 'win32',
): Readonly<Record<string, string>> {
  const bare = (line: string) => (isWindows ? line.replace(/\r$/, '') : line);
  const lines = text.split('\n');
  const values: Record<string, string> = {};
  for (let index = 0; index < lines.length; index += 1) {
    const line = bare(lines[index] ?? '');
    if (line === '') continue;
    const [, name, sign, rest = ''] = /^([^=<]+)(=|<<)(.*)$/s.exec(line) ?? [];
    const end =
      sign === '<<' ? lines.findIndex((each, at) => at > index && bare(each) === rest) : index;
    if (name === undefined || end === -1)
      throw new Error(`No value can be read from line ${index + 1}: ${line}`);
    values[name] = sign === '<<' ? bare(lines.slice(index + 1, end).join('\n')) : rest;
    index = end;
  }
  return values;
}
