import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startService } from './service.ts';

const USAGE = `Usage: npm run agent -- [--root DIR] [--sandbox-id ID] [--token TOKEN]
         [--header-prefix PREFIX] [--listen-port N] [--api] [--run-commands]
See docs/try-locally.md.`;

const text = { type: 'string' } as const;

try {
  const { values } = parseArgs({
    options: {
      root: text,
      token: { ...text, default: randomUUID() },
      'sandbox-id': { ...text, default: 'local' },
      'header-prefix': text,
      'listen-port': { ...text, default: '0' },
      api: { type: 'boolean', default: false },
      'run-commands': { type: 'boolean', default: false },
    },
  });
  for (const [name, value] of Object.entries(values))
    if (value === '') throw new Error(`--${name} is empty`);
  const { token, 'sandbox-id': sandboxId, 'run-commands': runCommands } = values;
  const prefix = values['header-prefix'];
  // A key of E2B's form, which its SDK insists on. Who knows it can run commands here, so it is new
  // each time.
  const apiKey = values.api ? `e2b_${randomBytes(20).toString('hex')}` : undefined;
  const folder = values.root ?? mkdtempSync(path.join(tmpdir(), 'sandbox-sync-agent-'));
  const service = await startService({
    folder,
    apiKey,
    runCommands,
    // By default, the actions use either, depending on where they take the sandbox from.
    headerPrefixes: prefix === undefined ? ['E2b', 'Svc'] : [prefix],
    listenPort: Number(values['listen-port']),
  });
  // With an API, each sandbox gets its own root inside the folder.
  service.create(sandboxId, token, apiKey === undefined ? folder : undefined);
  if (apiKey !== undefined) console.log(`api-url: ${service.url}\napi-key: ${apiKey}`);
  if (runCommands)
    console.log('run-commands: as you, on this machine; the folder of a sandbox is no jail');
  console.log(`base-url: ${service.url}\nsandbox-id: ${sandboxId}\ntoken: ${token}`);
  console.log(`root: ${folder}`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void service[Symbol.asyncDispose]());
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}
