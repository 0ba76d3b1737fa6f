import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Condition } from '../../src/gate/conditions.ts';
import { gateOf } from '../../src/gate/judge.ts';
import { drawChart } from '../../src/report/chart.ts';
import type { Sample } from '../../src/stats/sample.ts';
import { parse } from '../gate/given.ts';
import { course, cpuCourse, linesOf, mermaidOf, type Reading } from './courses.ts';

/** GitHub draws no longer chart. */
const LONGEST = 50_000;

const percent = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -5, max: 105 }),
  fc.constantFrom(`1${'0'.repeat(40)}`, 5e-324, -0.001),
);
const bytes = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
  fc.constantFrom('0', '1024'),
);
const reading: fc.Arbitrary<Reading> = fc
  .record(
    {
      cpu_used_pct: percent,
      mem_used: bytes,
      mem_total: bytes,
      disk_used: bytes,
      disk_total: bytes,
    },
    { requiredKeys: [] },
  )
  .map(fields => Object.fromEntries(Object.entries(fields)));
const condition = fc
  .oneof(
    fc.tuple(fc.constantFrom('cpu_used_pct', 'disk_used_pct'), fc.integer({ min: 0, max: 100 })),
    fc.tuple(
      fc.constantFrom('mem_used', 'mem_free'),
      bytes.map(limit => `${limit}B`),
    ),
  )
  .map(([metric, limit]) => parse(`${metric} > ${limit}`));

/** The chart of samples, with limits of both kinds. */
function chartOf(
  samples: readonly Sample[],
  conditions: readonly Condition[] = [],
): string | undefined {
  const gate = gateOf({ failIf: conditions, warnIf: conditions.slice(0, 2) }, []);
  return drawChart(samples, gate)[1]?.html;
}

const CHROMIUM = '/usr/bin/chromium';
const MERMAID = new URL('../../node_modules/mermaid/dist/mermaid.min.js', import.meta.url);
const PAGE =
  '<!doctype html><meta charset="utf-8"><div id="chart"></div><script src="/mermaid.js"></script>';
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

/** Serves an empty page with Mermaid. */
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

/** How Mermaid parses a text. Outside a browser, it cannot read titles. */
async function parseIn(page: Page, chart: string): Promise<unknown> {
  return page.evaluate(
    `mermaid.parse(${JSON.stringify(chart)}).then(({ diagramType }) => diagramType)`,
  );
}

/**
 * Draws a chart in the page. Returns the number of visible lines, and of points of the first one.
 */
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

test('mermaid takes every chart, of any samples, with any limits, and none that is broken', {
  skip,
}, async () => {
  const readings = fc.array(reading, { minLength: 10, maxLength: 150 });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET });
  try {
    using server = await servePage();
    const page = await browser.newPage();
    await page.goto(server.url);
    await fc.assert(
      fc.asyncProperty(
        readings,
        fc.array(condition, { maxLength: 8 }),
        async (list, conditions) => {
          const chart = chartOf(course(list), conditions);
          if (chart === undefined) return;
          assert.ok(chart.length < LONGEST);
          assert.equal(await parseIn(page, mermaidOf(chart)), 'xychart');
        },
      ),
      { numRuns: 60 },
    );
    const chart = mermaidOf(chartOf(cpuCourse(Array.from({ length: 10 }, () => 2))) ?? '');
    for (const [from, to] of [
      ['2.00', 'NaN'],
      ['2.00', '1e+30'],
      ['0 --> 100', '0 -->'],
    ] as const) {
      assert.ok(chart.includes(from));
      await assert.rejects(parseIn(page, chart.replace(from, to)));
    }
  } finally {
    await browser.close();
  }
});

test('a browser draws every chart, its course and its limits', { skip }, async () => {
  const readings = Array.from({ length: 100 }, (_, index) => ({
    cpu_used_pct: index % 7 === 0 ? -5 : index * 3,
    mem_total: 1000,
    mem_used: 500,
    ...(index % 3 === 0 ? {} : { disk_total: 1000, disk_used: index }),
  }));
  const conditions = [
    'cpu_used_pct > 80',
    'cpu_used_pct > 90',
    'mem_used > 900B',
    'disk_used_pct.max > 5',
  ];
  const gone = readings.map((one, index) => (index > 40 && index < 50 ? {} : one));
  const chart = chartOf(course(gone), conditions.map(parse)) ?? '';
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET });
  try {
    using server = await servePage();
    const lines = linesOf(chart);
    assert.match(chart, /^ {2}bar \[/m);
    const seen = { lines: lines.length, points: lines[0]?.length, isWide: true };
    assert.deepEqual(await draw(browser, server.url, mermaidOf(chart)), seen);
    await assert.rejects(draw(browser, server.url, 'xychart-beta\n  line [1, NaN]'), /Parse error/);
  } finally {
    await browser.close();
  }
});
