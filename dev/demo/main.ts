import { mkdtempDisposable, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startAgent } from '../agent/agent.ts';
import { logPrinter } from '../runner/log.ts';
import { runStep } from '../runner/step.ts';

// Runs the whole action for real: the built dist, a local agent, and files of this project.

const PROJECT = path.resolve(import.meta.dirname, '../..');
const TOKEN = 'demo-token-4f1c2a';
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: ' ',
  amp: '&',
};

await using folder = await mkdtempDisposable(path.join(tmpdir(), 'sandbox-sync-demo-'));
const sandbox = path.join(folder.path, 'sandbox');
await using agent = await startAgent({ root: sandbox, token: TOKEN, sandboxId: 'demo' });
process.exitCode = (await demonstrate(agent.url)) ? 0 : 1;

async function demonstrate(url: string): Promise<boolean> {
  const inputs = {
    'sandbox-id': 'demo',
    token: TOKEN,
    'base-url': url,
    files: 'src/upload/**\n!**/state*.ts\n*/action.yml\nREADME.md => docs/start here.md',
    target: 'app',
    'fail-if': 'mem_used_pct > 95',
  };
  console.log("A stand-in agent on this machine. CPU, memory and disk are this machine's own.");
  title('The step');
  for (const [name, value] of Object.entries(inputs))
    console.log(`${name}: ${name === 'token' ? '***' : indented(value)}`);

  title('Its log, as the runner shows it');
  const step = { action: PROJECT, inputs, workspace: PROJECT, temp: folder.path };
  const end = await runStep({ ...step, onLine: logPrinter() });
  process.stderr.write(end.stderr);

  title('Its outputs');
  for (const [name, value] of Object.entries(end.outputs))
    console.log(`${name}: ${shortened(value)}`);
  title('Its job summary, as text');
  console.log(summaryText(end.summary));
  title('What arrived in the sandbox, below /home/user');
  await printTree(path.join(sandbox, 'home/user'));
  const differences = await differing(JSON.parse(end.outputs['uploaded'] ?? '[]'));
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

/** The uploaded files whose content in the sandbox differs from that in the workspace. */
async function differing(uploaded: readonly { source: string; path: string }[]): Promise<string[]> {
  const names: string[] = [];
  for (const { source, path: stored } of uploaded) {
    const sent = await readFile(path.join(PROJECT, source));
    const arrived = await readFile(path.join(sandbox, stored));
    if (!sent.equals(arrived)) names.push(source);
  }
  return names;
}

/** Prints a heading. */
function title(text: string): void {
  console.log(`\n── ${text}\n`);
}

/** A text cut to the limit. */
function shortened(text: string, limit = 160): string {
  return text.length > limit ? `${text.slice(0, limit)} …` : text;
}

/** A job summary as text, with a line per table row and folded parts closed. */
function summaryText(summary: string): string {
  return summary
    .replace(/```mermaid.*?```/gs, '(a chart)')
    .replace(/<details><summary>(.*?)<\/summary>.*?<\/details>/gs, '▸ $1')
    .replace(/<br>(?=<\/td>)/g, '')
    .replace(/<\/t[dh]>\s*(?=<t[dh])/g, ' | ')
    .replaceAll('<br>', ', ')
    .replaceAll('<li>', '- ')
    .replace(/<[^>]*>/g, '')
    .replace(/&(#?\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Prints every file below a directory, with its size in bytes. */
async function printTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .sort();
  for (const file of files)
    console.log(
      `${String((await stat(file)).size).padStart(8)}  ${path.relative(directory, file)}`,
    );
  if (files.length === 0) console.log('No files.');
}
