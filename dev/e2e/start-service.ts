import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

// Starts a stand-in service that runs until the job ends, and passes the URL and API key to later
// steps. The first argument is the folder for the sandboxes.

const [root = 'sandboxes'] = process.argv.slice(2);
const main = path.join(import.meta.dirname, '../agent/main.ts');
const args = [main, '--root', root, '--run-commands', '--api'];
const child = spawn(process.execPath, args, {
  stdio: ['ignore', 'pipe', 'pipe'],
  // Outlive the step: Windows kills children with their parent, and some runners a whole session.
  detached: true,
  windowsHide: true,
});
child.stderr.pipe(process.stderr);
const lines: string[] = [];
for await (const line of createInterface(child.stdout)) {
  lines.push(line);
  if (line.startsWith('root: ')) break;
}
const [, url, apiKey] = /^api-url: (.+)\napi-key: (.+)$/m.exec(lines.join('\n')) ?? [];
if (url === undefined) throw new Error(`The service named no URL: ${lines.join()}`);
appendFileSync(process.env['GITHUB_OUTPUT'] ?? 1, `url=${url}\napi-key=${apiKey}\n`);
child.stdout.destroy();
child.stderr.destroy();
child.unref();
