import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from '../process.ts';
import { CONNECTIONS, type Contender, HEADERS, type Job } from './contender.ts';

const SAMPLE = 100;

/**
 * curl as one process with as many connections as the others, told of every file by a configuration file; and as one
 * process for each file, one after the other.
 */
export const curlContenders: readonly Contender[] = [
  { name: 'curl -Z', kind: 'curl -Z', prepare: parallel },
  { name: 'curl, one process per file', kind: 'curl loop', sample: SAMPLE, prepare: loop },
];

async function parallel(job: Job): Promise<Command> {
  const blocks = job.files.map(file => requestOptions(job, file).map(configLine).join('\n'));
  const config = path.join(job.temp, 'curl.config');
  await writeFile(config, `${blocks.join('\nnext\n')}\n`);
  const args = ['--silent', '-Z', '--parallel-immediate', '--parallel-max', String(CONNECTIONS)];
  return command(job, 'curl', [...args, '--config', config]);
}

async function loop(job: Job): Promise<Command> {
  const lines = job.files.slice(0, SAMPLE).map(file => {
    const args = requestOptions(job, file).map(([name, value]) => `--${name} ${shellWord(value)}`);
    return `curl --silent ${args.join(' ')} || exit\n`;
  });
  const script = path.join(job.temp, 'curl.sh');
  await writeFile(script, lines.join(''));
  return command(job, 'sh', [script]);
}

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

function command({ folder }: Job, file: string, args: readonly string[]): Command {
  return { file, args, cwd: folder, env: { PATH: process.env['PATH'] } };
}
