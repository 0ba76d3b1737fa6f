import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { gateOf } from '../../src/gate/judge.ts';
import { html } from '../../src/report/html.ts';
import type { Report } from '../../src/report/report.ts';
import { MAX_SUMMARY_BYTES, summary } from '../../src/report/summary.ts';
import { figures, parse } from '../gate/given.ts';
import { blocksOf, checkBlocks, textOf } from './blocks.ts';
import { failed, notAttempted, report, statsOf, uploaded } from './reports.ts';

/** A report in which every text is the one given, and there is far too much of everything. */
function flooded(text: string, count: number): Report {
  const failures = Array.from({ length: 40 }, (_, index) =>
    Array.from({ length: 20 }, () => failed(text, new AgentError('rejected', `${index}${text}`))),
  );
  const conditions = Array.from({ length: 300 }, (_, index) => parse(`load${'x'.repeat(600)} > ${index}`));
  return report({
    sandboxId: text,
    baseUrl: text,
    durationMs: 1e12,
    files: [...failures.flat(), ...Array.from({ length: count }, () => uploaded(text, Number.MAX_SAFE_INTEGER))],
    leftOut: Array.from({ length: 300 }, () => ({ path: text, reason: text })),
    warnings: Array.from({ length: 300 }, () => text),
    errors: Array.from({ length: 50 }, () => ({ message: text, details: [text, text] })),
    gate: gateOf({ failIf: conditions, warnIf: [] }, [figures({ ts: 1n })]),
    stats: statsOf({
      cpu_count: '9223372036854775807',
      cpu_used_pct: 1e300,
      mem_total: 1,
      mem_used: '9223372036854775807',
    }),
  });
}

function checkSize(text: string): void {
  const size = Buffer.byteLength(text);
  assert.ok(size <= 1024 ** 2, `${size} bytes`);
  assert.ok(size > 1024 ** 2 - 16_384, `${size} bytes: what fits is shown`);
  assert.match(text, /and \d{1,3},\d{3} more; the report file has them all<\/details>/);
  checkBlocks(text);
}

describe('it fills 1 MiB, and never exceeds it', () => {
  test('that is the limit of the platform', () => assert.equal(MAX_SUMMARY_BYTES, 1_048_576));

  for (const character of ['\u0001', '\u202e', "'", '\u{e0041}', '日', '\ud800']) {
    test(`with names of 4,096 times ${JSON.stringify(character)}`, () => {
      checkSize(summary(flooded(character.repeat(4096), 4000)));
    });
  }

  for (const length of [1, 600, 601]) {
    test(`with 20,000 names of ${length} characters`, () => {
      checkSize(summary(report({ files: Array.from({ length: 20_000 }, () => uploaded('x'.repeat(length))) })));
    });
  }
});

const HOSTILE = [
  '</code></td></tr></table><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '</details>\n\n# A heading',
  'a\n\n**bold** [link](https://evil.example)',
  '```\n::error::x',
  '&lt;b&gt; &amp; "quoted" \'quoted\' <!-- comment',
  '\u202egpj.exe',
  '\r\n\r\n- item',
];

for (const name of HOSTILE) {
  test(`no markup comes out of ${JSON.stringify(name)}, it is shown to the letter`, () => {
    const files = [uploaded(name), notAttempted(name), failed(name, new AgentError('rejected', name))];
    const text = summary({ ...flooded(name, 0), files });
    checkBlocks(text);
    assert.doesNotMatch(text, /<(script|img|b>|!--)/);
    const shown = name.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\u202e', '\\u{202e}');
    assert.ok(textOf(blocksOf(text).at(-1) ?? '').includes(shown));
  });
}

test('what comes from elsewhere is code, so neither mention nor emoji comes out of it', () => {
  const said = '@someone :tada:';
  const files = [uploaded(said), failed(said, new AgentError('rejected', said))];
  // Why something was left out, the action says in its own words.
  const text = summary({ ...flooded(said, 1), files, leftOut: [{ path: said, reason: 'a pipe' }] });
  assert.doesNotMatch(text.replace(/<code>.*?<\/code>/g, ''), /@someone/);
});

test('what is put into HTML is escaped, unless it is HTML itself, and cut before that', () => {
  const inner = html`<b>${'<&>"\''}</b>`;
  assert.equal(html`<p>${inner}${7}${'\n'}</p>`.html, '<p><b>&lt;&amp;&gt;&quot;&#39;</b>7\\n</p>');
  assert.equal(html`${'&'.repeat(1000)}`.html, `${'&amp;'.repeat(600)}…`);
});
