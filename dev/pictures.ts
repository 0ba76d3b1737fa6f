import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';

// Renders golden summaries about as GitHub does, in Chromium, which must be installed. Without an
// argument, writes the pictures of the documents. With a folder, writes all summaries to it, light
// and dark, as wide as on a desktop and on a phone.

const PROJECT = path.resolve(import.meta.dirname, '..');
const GOLDEN = path.join(PROJECT, 'test/report/golden');
const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

const [folder] = process.argv.slice(2);
const names = globSync('*.txt', { cwd: GOLDEN }).map(file => path.parse(file).name);
const pictures =
  folder === undefined
    ? [{ name: 'uploaded-and-gate-failed', width: 600, start: path.join(PROJECT, 'docs/summary') }]
    : names.flatMap(name =>
        [1180, 390].map(width => ({ name, width, start: path.join(folder, `${name}-${width}`) })),
      );

await using browser = await chromium.launch({ executablePath: EXECUTABLE });
const page = await browser.newPage();
for (const { name, width, start } of pictures)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.setViewportSize({ width, height: 100 });
    await page.emulateMedia({ colorScheme });
    await page.setContent(pageOf(readFileSync(path.join(GOLDEN, `${name}.txt`), 'utf8')));
    await page.addScriptTag({
      path: path.join(PROJECT, 'node_modules/mermaid/dist/mermaid.min.js'),
    });
    const theme = colorScheme === 'dark' ? 'dark' : 'default';
    await page.evaluate(
      `mermaid.initialize({ startOnLoad: false, theme: '${theme}' }); mermaid.run()`,
    );
    const file = `${start}-${colorScheme}.png`;
    await page.screenshot({ path: file, fullPage: true });
    console.log(file);
  }

/** Wraps a summary, whose only Markdown is a chart between backticks, in a page. */
function pageOf(summary: string): string {
  const style = readFileSync(path.join(import.meta.dirname, 'pictures.css'), 'utf8');
  const body = summary.replace(/```mermaid\n([^]*?)```/g, '<pre class="mermaid">$1</pre>');
  return `<!doctype html><meta charset="utf-8"><style>${style}</style>${body}`;
}
