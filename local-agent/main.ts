import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type LocalAgent, startAgent } from './agent.ts';
import { parseFaults } from './fault-file.ts';
import type { AgentOptions } from './options.ts';

const USAGE = `Usage: node local-agent/main.ts --root DIR --sandbox-id ID [--token TOKEN]
         [--port N] [--header-prefix PREFIX] [--listen-port N] [--faults FILE]
The token may come from LOCAL_AGENT_TOKEN instead. See local-agent/README.md.`;

const options = readOptions();
if (options) await startAgent(options).then(run, error => refuse(error, options));

function run(agent: LocalAgent): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void agent.close());
  console.log(JSON.stringify({ url: agent.url, pid: process.pid }));
}

/** Says that the port is taken; any other error is thrown on. */
function refuse(error: unknown, { listenPort }: AgentOptions): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
  console.error(`Port ${listenPort} is taken. Leave --listen-port out to get a free one.`);
  process.exitCode = 1;
}

function readOptions(): AgentOptions | undefined {
  try {
    return optionsOf(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exitCode = 2;
    return undefined;
  }
}

function optionsOf(args: string[]): AgentOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      root: text,
      token: { ...text, default: process.env['LOCAL_AGENT_TOKEN'] ?? '' },
      'sandbox-id': text,
      port: { ...text, default: '49983' },
      'header-prefix': { ...text, default: 'Svc' },
      'listen-port': { ...text, default: '0' },
      faults: text,
    },
  });
  return {
    root: given('root', values.root),
    token: given('token', values.token),
    sandboxId: given('sandbox-id', values['sandbox-id']),
    sandboxPort: portOf('port', values.port),
    headerPrefix: given('header-prefix', values['header-prefix']),
    listenPort: portOf('listen-port', values['listen-port']),
    faults: values.faults === undefined ? [] : parseFaults(readFileSync(values.faults, 'utf8')),
    record: false,
  };
}

function given(name: string, value = ''): string {
  if (value !== '') return value;
  throw new Error(`--${name} is missing`);
}

function portOf(name: string, value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new Error(`--${name} must be a port number from 0 to 65535, not "${value}"`);
}
