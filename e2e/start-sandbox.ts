import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { variable } from './variables.ts';

// What a step that makes a real sandbox would do: has one run on, and tells the steps after it where, and by which token.

const AGENT = path.join(import.meta.dirname, '../local-agent/main.ts');
const ID = 'self-run';

const token = randomUUID();
console.log(`::add-mask::${token}`);
const child = spawn(process.execPath, [AGENT, '--root', variable('SANDBOX_ROOT'), '--sandbox-id', ID], {
  env: { ...process.env, LOCAL_AGENT_TOKEN: token },
  stdio: ['ignore', 'pipe', 'pipe'],
  // Windows ends a child with its parent, and some runners end all that a step has in its session.
  detached: true,
  windowsHide: true,
});
child.stderr.pipe(process.stderr);
const [line] = await once(createInterface(child.stdout), 'line');
const [, url] = /"url":"([^"]+)"/.exec(String(line)) ?? [];
if (url === undefined) throw new Error(`The agent did not say where it listens, but ${line}`);
appendFileSync(variable('GITHUB_OUTPUT'), `id=${ID}\ntoken=${token}\nurl=${url}\npid=${child.pid}\n`);
console.log(`The sandbox ${ID} listens at ${url}`);
child.stdout.destroy();
child.stderr.destroy();
child.unref();
