import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { timeCharts } from '../../src/report/charts.ts';
import { parse } from '../gate/given.ts';
import { course, linesOf, mermaidOf } from './courses.ts';

const CHROMIUM = '/usr/bin/chromium';
const MERMAID = new URL('../../node_modules/mermaid/dist/mermaid.min.js', import.meta.url);
const QUIET = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const PAGE = '<!doctype html><meta charset="utf-8"><div id="chart"></div><script src="/mermaid.js"></script>';

/** Serves an empty page with mermaid on it. */
async function servePage() {
  const server = createServer((request, response) => {
    const isScript = request.url === '/mermaid.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript; charset=utf-8' : 'text/html');
    response.end(isScript ? readFileSync(MERMAID) : PAGE);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${address.port}/`, [Symbol.dispose]: close };
}

/** Draws a chart in the page; the numbers of lines and of points of the first line that can be seen in it. */
async function draw(browser: Browser, url: string, chart: string): Promise<unknown> {
  const page = await browser.newPage();
  await page.goto(url);
  const found: unknown = await page.evaluate(`(async () => {
    mermaid.initialize({ startOnLoad: false });
    const { svg } = await mermaid.render('drawn', ${JSON.stringify(chart)});
    document.getElementById('chart').innerHTML = svg;
    const lines = [...document.querySelectorAll('#chart g[class^="line-plot"] path')];
    const [first] = lines;
    const { width } = first === undefined ? { width: 0 } : first.getBoundingClientRect();
    return {
      lines: lines.length,
      points: (first?.getAttribute('d') ?? '').split(/[ML]/).length - 1,
      isWide: width > 100,
    };
  })()`);
  await page.close();
  return found;
}

const skip = existsSync(CHROMIUM) ? false : `there is no ${CHROMIUM}`;

test('a browser draws every chart, its course and its limits', { skip }, async () => {
  const readings = Array.from({ length: 100 }, (_, index) => ({
    cpu_used_pct: index % 7 === 0 ? -5 : index * 3,
    mem_total: 1000,
    mem_used: 500,
    ...(index % 3 === 0 ? {} : { disk_total: 1000, disk_used: index }),
  }));
  const conditions = ['cpu_used_pct > 80', 'cpu_used_pct > 90', 'mem_used > 900B', 'disk_used_pct.max > 5'];
  const charts = timeCharts(course(readings), conditions.map(parse));
  assert.equal(charts.length, 3);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET });
  try {
    using server = await servePage();
    for (const chart of charts) {
      const lines = linesOf(chart);
      const points = lines[0]?.length;
      assert.deepEqual(await draw(browser, server.url, mermaidOf(chart)), {
        lines: lines.length,
        points,
        isWide: true,
      });
    }
    await assert.rejects(draw(browser, server.url, 'xychart-beta\n  line [1, NaN]'), /Parse error/);
  } finally {
    await browser.close();
  }
});
