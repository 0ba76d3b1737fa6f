import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { variable } from './variables.ts';

// Passes a sandbox to later steps: the running agent at AGENT_URL, or a local agent that it starts.

const { AGENT_URL, AGENT_TOKEN, AGENT_SANDBOX_ID, AGENT_HEADER_PREFIX } = process.env;
const outputs = {
  id: AGENT_SANDBOX_ID || 'self-run',
  token: AGENT_TOKEN || randomUUID(),
  'header-prefix': AGENT_HEADER_PREFIX || 'Svc',
};

console.log(`::add-mask::${outputs.token}`);
const place = AGENT_URL ? { url: AGENT_URL } : await startAgent();
for (const [name, value] of Object.entries({ ...outputs, ...place }))
  appendFileSync(variable('GITHUB_OUTPUT'), `${name}=${value}\n`);
console.log(`The sandbox ${outputs.id} listens at ${place.url}`);

async function startAgent() {
  const main = path.join(import.meta.dirname, '../agent/main.ts');
  const options = ['--root', variable('SANDBOX_ROOT'), '--sandbox-id', outputs.id];
  const child = spawn(process.execPath, [main, ...options], {
    env: { ...process.env, LOCAL_AGENT_TOKEN: outputs.token },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Windows ends children with their parent, and some runners end everything in a step's session.
    detached: true,
    windowsHide: true,
  });
  child.stderr.pipe(process.stderr);
  const [line] = await once(createInterface(child.stdout), 'line');
  const [, url] = /^base-url: (.+)$/.exec(String(line)) ?? [];
  if (url === undefined) throw new Error(`The agent did not say where it listens, but ${line}`);
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
  return { url, pid: `${child.pid}` };
}
