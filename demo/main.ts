import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { logPrinter } from '../local-runner/log-view.ts';
import { printTree, shortened, title } from '../local-runner/print.ts';
import { runStep } from '../local-runner/step.ts';
import { compareTrees } from './tree.ts';

// Shows the whole action on real parts: a local agent in a process of its own, the built dist as the runner starts it,
// and files of this very project.

const PROJECT = path.dirname(import.meta.dirname);
const TOKEN = 'demo-token-4f1c2a';

const folder = await mkdtemp(path.join(tmpdir(), 'sandbox-sync-demo-'));
const sandbox = path.join(folder, 'sandbox');
const agent = spawn(
  process.execPath,
  [path.join(PROJECT, 'local-agent/main.ts'), '--root', sandbox, '--sandbox-id', 'demo'],
  {
    env: { PATH: process.env['PATH'], LOCAL_AGENT_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
try {
  process.exitCode = (await demonstrate(await agentUrl())) ? 0 : 1;
} finally {
  agent.kill();
  await rm(folder, { recursive: true });
}

async function agentUrl(): Promise<string> {
  const [line] = await once(createInterface(agent.stdout), 'line');
  const ready: unknown = JSON.parse(String(line));
  if (typeof ready === 'object' && ready !== null && 'url' in ready) return String(ready.url);
  throw new Error(`The agent did not say where it listens, but ${line}`);
}

async function demonstrate(url: string): Promise<boolean> {
  const inputs = {
    'sandbox-id': 'demo',
    token: TOKEN,
    'base-url': url,
    files: 'src/upload/**\n!**/p*.ts\n*/action.yml\nREADME.md => docs/start here.md',
    target: 'app',
    'fail-if': 'mem_used_pct > 95',
  };
  title('The step');
  for (const [name, value] of Object.entries(inputs))
    if (name !== 'token') console.log(`${name}: ${indented(value)}`);

  title('Its log, as the runner shows it');
  const end = await runStep({
    action: PROJECT,
    inputs,
    workspace: PROJECT,
    temp: folder,
    onLine: logPrinter(),
  });
  process.stderr.write(end.stderr);

  title('Its outputs');
  for (const [name, value] of Object.entries(end.outputs)) console.log(`${name}: ${shortened(value)}`);
  title('Its job summary, as Markdown');
  console.log(shortened(end.summary.trim(), 2200));
  title('What arrived in the sandbox');
  await printTree(path.join(sandbox, 'home/user'));
  const differences = await compareTrees(PROJECT, sandbox, JSON.parse(end.outputs['uploaded'] ?? '[]'));
  title(
    differences.length === 0
      ? 'Every file arrived byte for byte.'
      : `Not as it was sent: ${differences.join(', ')}`,
  );
  return end.exitCode === 0 && differences.length === 0;
}

function indented(value: string): string {
  return value.includes('\n') ? `|\n  ${value.replaceAll('\n', '\n  ')}` : value;
}
