import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { startAgent } from '../agent/agent.ts';
import { runStep } from '../runner/step.ts';

// Draws docs/upload-summary.png, the summary of a synced build, and docs/monitor-summary.png, that
// of a monitor that watched this machine, as a browser shows them. Needs Chromium: the path in
// CHROMIUM, or /usr/bin/chromium.

const PROJECT = path.resolve(import.meta.dirname, '../..');
const BROWSER = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
];

const folder = mkdtempSync(path.join(tmpdir(), 'sandbox-sync-picture-'));
try {
  await takePicture(await syncBuild(), path.join(PROJECT, 'docs/upload-summary.png'));
  await takePicture(await monitorWork(), path.join(PROJECT, 'docs/monitor-summary.png'));
} finally {
  rmSync(folder, { recursive: true });
}

/** The sandbox of a picture, and the inputs that reach it. */
async function openSandbox() {
  const token = 'picture-token';
  const agent = await startAgent({
    root: path.join(folder, 'root'),
    token,
    sandboxId: 'i1a2b3c4d5',
  });
  return { agent, access: { 'sandbox-id': 'i1a2b3c4d5', token, 'base-url': agent.url } };
}

/** The summary of a sync of some hundred files. */
async function syncBuild(): Promise<string> {
  const { agent, access } = await openSandbox();
  await using _ = agent;
  const workspace = path.join(folder, 'checkout');
  for (let index = 0; index < 240; index += 1) {
    const file = path.join(
      workspace,
      'dist',
      ['assets', 'pages', 'fonts'][index % 3] ?? '',
      `${index}.js`,
    );
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, 'x'.repeat(200 * (index + 1)));
  }
  const inputs = {
    ...access,
    files: 'dist/**',
    target: 'app',
    'fail-if': 'mem_used_pct > 95\ndisk_free < 512MiB',
  };
  return (await runStep({ action: PROJECT, inputs, workspace, temp: folder })).summary;
}

/** The summary of a monitor over some seconds of work and rest. */
async function monitorWork(): Promise<string> {
  const { agent, access } = await openSandbox();
  await using _ = agent;
  const inputs = {
    ...access,
    'sample-interval': '250ms',
    'fail-if': 'mem_used_pct > 95',
    'warn-if': 'cpu_used_pct > 80',
  };
  const step = { action: path.join(PROJECT, 'monitor'), inputs, workspace: folder, temp: folder };
  const main = await runStep(step);
  for (const ms of [1500, 300, 2500, 800]) {
    await delay(1200);
    await work(ms);
  }
  await delay(1200);
  return (await runStep({ ...step, post: { state: main.state } })).summary;
}

/** Keeps a processor and memory busy, in small steps so that the agent gets its turns. */
async function work(ms: number): Promise<void> {
  const kept: Buffer[] = [];
  for (const end = performance.now() + ms; performance.now() < end; ) {
    kept.push(Buffer.alloc(4 * 1024 * 1024, 1));
    for (const bite = performance.now() + 20; performance.now() < bite; );
    await delay(1);
  }
}

async function takePicture(summary: string, file: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: BROWSER, args: FLAGS });
  try {
    const page = await browser.newPage({
      viewport: { width: 860, height: 600 },
      deviceScaleFactor: 1.5,
    });
    await page.setContent(await documentOf(summary));
    await page.evaluate('mermaid.run()');
    await page.locator('main').screenshot({ path: file });
  } finally {
    await browser.close();
  }
}

/** The summary as a page: HTML except for the chart. */
async function documentOf(summary: string): Promise<string> {
  const mermaid = await readFile(
    path.join(PROJECT, 'node_modules/mermaid/dist/mermaid.min.js'),
    'utf8',
  );
  const body = summary.replace(/```mermaid\n(.*?)```/gs, '<pre class="mermaid">$1</pre>');
  const style = `
    main { font: 14px/1.5 system-ui, sans-serif; color: #1f2328; padding: 16px; width: 828px; }
    table { border-collapse: collapse; margin-bottom: 12px; }
    td, th { border: 1px solid #d1d9e0; padding: 5px 12px; }
    code { font-size: 12px; background: #eff1f3; padding: 2px 5px; border-radius: 5px; }
    a { color: #0969da; }
    pre.mermaid { width: 800px; margin: 0 0 8px; }`;
  return `<!doctype html><style>${style}</style><main>${body}</main><script>${mermaid}; mermaid.initialize({ startOnLoad: false })</script>`;
}
