import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CONNECTIONS, type Contender, HEADERS, type Job, type Prepared } from './contender.ts';

/** One curl process with as many connections as the others, told of every file by a configuration file. */
export const curlParallel: Contender = {
  name: 'curl -Z',
  kind: 'curl -Z',
  async prepare(job) {
    const blocks = job.files.map(file => requestOptions(job, file).map(configLine).join('\n'));
    const config = await written(job, 'curl.config', `${blocks.join('\nnext\n')}\n`);
    const args = ['--silent', '-Z', '--parallel-immediate', '--parallel-max', String(CONNECTIONS)];
    return command(job, 'curl', [...args, '--config', config]);
  },
};

const SAMPLE = 100;

/** One curl process for each file, one after the other. */
export const curlLoop: Contender = {
  name: 'curl, a process a file',
  kind: 'curl loop',
  sample: SAMPLE,
  async prepare(job) {
    const lines = job.files.slice(0, SAMPLE).map(file => {
      const args = requestOptions(job, file).map(([name, value]) => `--${name} ${shellWord(value)}`);
      return `curl --silent ${args.join(' ')} || exit\n`;
    });
    return command(job, 'sh', [await written(job, 'curl.sh', lines.join(''))]);
  },
};

/** The options of the request that uploads a file. */
function requestOptions({ url }: Job, file: string): [name: string, value: string][] {
  return [
    ['url', `${url}/files?path=${encodeURIComponent(file)}`],
    ['form', `file=@${file};filename=${file}`],
    ...Object.entries(HEADERS).map(([name, value]): [string, string] => ['header', `${name}: ${value}`]),
    ['fail', ''],
    ['output', '/dev/null'],
  ];
}

function configLine([name, value]: [string, string]): string {
  return value === '' ? name : `${name} = "${value}"`;
}

function shellWord(value: string): string {
  return value === '' ? '' : `'${value}'`;
}

async function written({ temp }: Job, name: string, content: string): Promise<string> {
  const file = path.join(temp, name);
  await writeFile(file, content);
  return file;
}

function command({ folder }: Job, file: string, args: readonly string[]): Prepared {
  const { PATH } = process.env;
  const written = args.at(-1) ?? '';
  return {
    command: { file, args, cwd: folder, env: { PATH } },
    [Symbol.asyncDispose]: () => rm(written),
  };
}
