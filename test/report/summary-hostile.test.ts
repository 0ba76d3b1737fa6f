import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { html } from '../../src/report/html.ts';
import type { Report } from '../../src/report/report.ts';
import { MAX_SUMMARY_BYTES, summary } from '../../src/report/summary.ts';
import { blocksOf, checkBlocks, textOf } from './blocks.ts';
import { failed, notAttempted, report, statsOf, uploaded } from './reports.ts';

/** A report in which every text is the one given, and there is far too much of everything. */
function flooded(text: string, count: number, size = Number.MAX_SAFE_INTEGER): Report {
  const errors = Array.from(
    { length: 400 },
    (_, index) => new AgentError('rejected', text, { status: 400 + index }),
  );
  const failures = errors.flatMap(error => Array.from({ length: 20 }, () => failed(text, error)));
  return report({
    sandboxId: text,
    baseUrl: text,
    durationMs: 1e12,
    files: [...failures, ...Array.from({ length: count }, () => uploaded(text, size))],
    leftOut: Array.from({ length: 300 }, () => ({ path: text, reason: text })),
    warnings: Array.from({ length: 300 }, () => text),
    errors: Array.from({ length: 50 }, () => ({ message: text, details: [text, text] })),
    stats: statsOf({
      cpu_count: '9223372036854775807',
      cpu_used_pct: 1e300,
      mem_total: 1,
      mem_used: '9223372036854775807',
      disk_total: '9223372036854775807',
      disk_used: 1,
    }),
  });
}

const WORST: Readonly<Record<string, string>> = {
  'control characters': '\u0001',
  'marks of direction': '\u202e',
  'empty lines': '\n',
  ampersands: '&',
  'single quotes': "'",
  'tag characters': '\u{e0041}',
  'wide characters': '日',
  'emoji of two halves': '😀',
  'halves of surrogate pairs': '\ud800',
  'an alphabet': 'a',
};

describe('it never exceeds 1 MiB', () => {
  for (const [name, character] of Object.entries(WORST)) {
    test(`with names of 4,096 ${name}`, () => {
      const text = summary(flooded(character.repeat(4096), 50_000));
      assert.ok(Buffer.byteLength(text) <= MAX_SUMMARY_BYTES, String(Buffer.byteLength(text)));
      checkBlocks(text);
    });
  }

  for (const length of [1, 10, 100, 599, 600, 601]) {
    test(`with 50,000 names of ${length} characters`, () => {
      const files = Array.from({ length: 50_000 }, () => uploaded('x'.repeat(length)));
      const text = summary(report({ files }));
      assert.ok(Buffer.byteLength(text) <= MAX_SUMMARY_BYTES);
      assert.ok(Buffer.byteLength(text) > MAX_SUMMARY_BYTES - 16_384, 'what fits is shown');
      checkBlocks(text);
      assert.match(text, /and [\d,]+ more; the report file has them all<\/details>/);
    });
  }

  test('the limit is that of the platform', () => assert.equal(MAX_SUMMARY_BYTES, 1_048_576));
});

const HOSTILE = [
  '</code></td></tr></table><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '</details>\n\n# A heading',
  'a\n\n**bold** [link](https://evil.example)',
  '```\n::error::x',
  '`code` | pipe | <!-- comment',
  '&lt;b&gt; &amp;',
  '"quoted" \'quoted\'',
  '@someone #1 :tada:',
  '\u202egpj.exe',
  '\r\n\r\n- item',
];

describe('no markup comes out of any text', () => {
  for (const name of HOSTILE) {
    test(JSON.stringify(name), () => {
      const text = summary({
        ...flooded(name, 3),
        files: [uploaded(name), notAttempted(name), failed(name, new AgentError('rejected', name))],
      });
      checkBlocks(text);
      assert.doesNotMatch(text, /<(script|img|b>|!--)/);
      const list = blocksOf(text).at(-1) ?? '';
      const shown = name.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\u202e', '\\u{202e}');
      assert.ok(textOf(list).includes(shown), 'it is shown to the letter');
    });
  }

  test('names are code, so neither mention nor emoji comes out of them', () => {
    const text = summary(report({ files: [uploaded('@someone')] }));
    assert.match(text, /<code>@someone<\/code>/);
    assert.doesNotMatch(text.replace(/<code>.*?<\/code>/g, ''), /@someone/);
  });
});

describe('html', () => {
  test('what is put in is escaped, unless it is HTML itself', () => {
    const inner = html`<b>${'<&>"\''}</b>`;
    assert.equal(html`<p>${inner}${7}${'\n'}</p>`.html, '<p><b>&lt;&amp;&gt;&quot;&#39;</b>7\\n</p>');
  });
  test('an entity is not cut', () => {
    assert.ok(html`${'&'.repeat(1000)}`.html.endsWith('&amp;…'));
  });
});
