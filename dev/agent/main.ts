import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type LocalAgent, startAgent } from './agent.ts';
import { parseFaults } from './fault-file.ts';
import type { AgentOptions } from './options.ts';

const USAGE = `Usage: npm run agent -- [--root DIR] [--sandbox-id ID] [--token TOKEN]
         [--port N] [--header-prefix PREFIX] [--listen-port N] [--faults FILE]
The token may come from LOCAL_AGENT_TOKEN instead. See dev/agent/README.md.`;

const options = readOptions();
if (options) {
  await startAgent(options).then(
    agent => run(agent, options),
    error => refuse(error, options),
  );
}

function run(agent: LocalAgent, { sandboxId, token, root }: AgentOptions): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      for (const fault of agent.unmatchedFaults())
        console.error(`No request matched this fault: ${JSON.stringify(fault)}`);
      void agent.close();
    });
  console.log(`base-url: ${agent.url}\nsandbox-id: ${sandboxId}\ntoken: ${token}\nroot: ${root}`);
}

/** Says that the port is taken. Rethrows any other error. */
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
      token: { ...text, default: process.env['LOCAL_AGENT_TOKEN'] || randomUUID() },
      'sandbox-id': { ...text, default: 'local' },
      port: { ...text, default: '49983' },
      'header-prefix': { ...text, default: 'Svc' },
      'listen-port': { ...text, default: '0' },
      faults: text,
    },
  });
  return {
    token: given('token', values.token),
    sandboxId: given('sandbox-id', values['sandbox-id']),
    sandboxPort: portOf('port', values.port),
    headerPrefix: given('header-prefix', values['header-prefix']),
    listenPort: portOf('listen-port', values['listen-port']),
    faults: values.faults === undefined ? [] : parseFaults(readFileSync(values.faults, 'utf8')),
    record: false,
    root: values.root ?? mkdtempSync(path.join(tmpdir(), 'sandbox-sync-agent-')),
  };
}

function given(name: string, value: string): string {
  if (value !== '') return value;
  throw new Error(`--${name} is empty`);
}

function portOf(name: string, value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new Error(`--${name} must be a port number from 0 to 65535, not "${value}"`);
}
