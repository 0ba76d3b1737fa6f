import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startAgent } from './agent/agent.ts';
import { runStep } from './runner/step.ts';

// Runs the built action against a stand-in agent, and shows its log, outputs and summary.

const PROJECT = path.resolve(import.meta.dirname, '..');

await using folder = await mkdtempDisposable(path.join(tmpdir(), 'sandbox-sync-demo-'));
const sandbox = { root: path.join(folder.path, 'sandbox'), token: 'demo-token', sandboxId: 'demo' };
await using agent = await startAgent(sandbox);
const inputs = {
  'sandbox-id': sandbox.sandboxId,
  token: sandbox.token,
  'base-url': agent.url,
  files: 'src/transfer/**\n*/action.yml\nREADME.md => docs/start here.md',
  target: 'app',
  'fail-if': 'mem_used_pct > 95',
};
title('The inputs');
for (const [name, value] of Object.entries(inputs))
  console.log(`${name}: ${name === 'token' ? '***' : value.replaceAll('\n', '\n  ')}`);

title('The log');
const step = { action: PROJECT, inputs, workspace: PROJECT, temp: folder.path };
const end = await runStep({ ...step, onLine: printLine });
process.stderr.write(end.stderr);

title('The outputs');
for (const [name, value] of Object.entries(end.outputs))
  console.log(`${name}: ${value.length > 160 ? `${value.slice(0, 160)} …` : value}`);
title('The job summary, as text');
console.log(asText(end.summary));
console.log('\nCPU, memory and disk are those of this machine.');
process.exitCode = end.exitCode ?? 1;

function title(text: string): void {
  console.log(`\n── ${text}\n`);
}

/** Prints a line of the log as GitHub does: folded groups are open, commands are hidden. */
function printLine(line: string): void {
  const [, command = '', data = ''] = /^::([\w-]+)(?: [^:]*)?::(.*)$/.exec(line) ?? [];
  const text = data.replaceAll('%0A', '\n').replaceAll('%25', '%');
  if (command === '') console.log(line);
  if (command === 'group') console.log(`▾ ${text}`);
  if (['error', 'warning', 'notice'].includes(command)) console.log(`${command}: ${text}`);
}

/** A summary as text: a line per table row, folded parts closed. */
function asText(summary: string): string {
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', nbsp: ' ', amp: '&' };
  return summary
    .replace(/```mermaid.*?```/gs, '(a chart)')
    .replace(/<details><summary>(.*?)<\/summary>.*?<\/details>/gs, '▸ $1')
    .replace(/<\/t[dh]>\s*(?=<t[dh])/g, ' | ')
    .replace(/<[^>]*>/g, '')
    .replace(/&(\w+);/g, (entity, name: string) => entities[name] ?? entity)
    .replace(/&#(\d+);/g, (_entity, code: string) => String.fromCodePoint(Number(code)))
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
