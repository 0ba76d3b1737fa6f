import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from '../process.ts';
import { CONNECTIONS, type Contender, HEADERS, type Job } from './contender.ts';

const SAMPLE = 100;

/**
 * curl as one process with a configuration file and as many connections as the others, over
 * HTTP/1.1 and HTTP/2; and one curl per file, one after the other.
 */
export const curlContenders: readonly Contender[] = [
  parallel('curl -Z', 'http1.1', ['--parallel-immediate', '--parallel-max', String(CONNECTIONS)]),
  // Waits for one connection, which all requests share.
  parallel('curl -Z h2', 'http2', ['--parallel-max', '100']),
  { name: 'curl, one process per file', kind: 'curl loop', sample: SAMPLE, prepare: loop },
];

function parallel(
  kind: 'curl -Z' | 'curl -Z h2',
  version: Version,
  how: readonly string[],
): Contender {
  const prepare = async (job: Job) => {
    const blocks = job.files.map(file =>
      requestOptions(job, file, version).map(configLine).join('\n'),
    );
    const config = path.join(job.temp, 'curl.config');
    await writeFile(config, `${blocks.join('\nnext\n')}\n`);
    return command(job, 'curl', ['--silent', '-Z', ...how, '--config', config]);
  };
  return { name: kind.replace('h2', 'over HTTP/2'), kind, prepare };
}

type Version = 'http1.1' | 'http2';

async function loop(job: Job): Promise<Command> {
  const lines = job.files.slice(0, SAMPLE).map(file => {
    const args = requestOptions(job, file, 'http1.1').map(
      ([name, value]) => `--${name} ${shellWord(value)}`,
    );
    return `curl --silent ${args.join(' ')} || exit\n`;
  });
  const script = path.join(job.temp, 'curl.sh');
  await writeFile(script, lines.join(''));
  return command(job, 'sh', [script]);
}

/** The options for uploading one file. */
function requestOptions(
  { url, caFile }: Job,
  file: string,
  version: Version,
): [name: string, value: string][] {
  return [
    ['url', `${url}/files?path=${encodeURIComponent(file)}`],
    ['form', `file=@${file};filename=${file}`],
    ...Object.entries(HEADERS).map(([name, value]): [string, string] => [
      'header',
      `${name}: ${value}`,
    ]),
    [version, ''],
    ['fail', ''],
    ['output', '/dev/null'],
    ...(caFile === undefined ? [] : [['cacert', caFile] satisfies [string, string]]),
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
