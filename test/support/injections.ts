import assert from 'node:assert/strict';
import type { Result } from './result.ts';

/** Texts that the runner, a terminal, GitHub or a browser would act on if not escaped. */
export const INJECTIONS: Readonly<Record<string, string>> = {
  'commands of the runner':
    '\n::set-output name=gate::passed\n::add-mask::a\n::error::x\r::stop-commands::y\n',
  'old commands of the runner': '##[group]x\n##[error]y ##[add-mask]z##[set-output name=a;]b',
  'the delimiter of outputs': 'x\nghadelimiter_\ngate<<EOF\npassed\nEOF\n%0Agate=passed%0D%25',
  'control characters':
    '\u001b[2J\u001b]8;;http://evil.example\u0007\u0000\u0008\u007f\u009b31m\u0085',
  'marks of direction': '\u202egpj.exe\u2066\u2069\u200f\u061c\u200b\ufeff\u2028\u2029',
  'halves of surrogate pairs': '\ud800x\udc00\ud83d',
  HTML: '</code></td></table></details><script>alert(1)</script><img src=x onerror=alert(1)><!-- &lt;b&gt;',
  Markdown:
    '\n\n# Heading\n\n[link](https://evil.example) ![i](https://evil.example/x.png) `code` | a | @me',
  Mermaid: '\n\n```mermaid\ngraph TD; A-->B; click A "javascript:alert(1)"\n```\n%%{init: {}}%%\n',
  templates: '${{ secrets.TOKEN }} $(id) `id` {{7*7}} %s%n',
};

// GitHub's limit for the summary of a step.
const MAX_SUMMARY_BYTES = 1024 * 1024;
const MAX_LOG_BYTES = 200 * 1024;

/** Matches workflow commands of the action and of @actions/glob, which writes debug lines. */
const COMMAND = /^::(add-mask|group|error|warning|debug)::|^::endgroup::$/;

/** Characters that terminals act on, or that reorder text. */
const ACTIVE = /[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Asserts that log and summary contain no injected commands or markup, and are limited in size. */
export function assertNoInjection({ stdout, stderr, summary, lines }: Result): void {
  assert.equal(stderr, '');
  assert.ok(Buffer.byteLength(stdout) <= MAX_LOG_BYTES, `${Buffer.byteLength(stdout)} bytes`);
  assert.doesNotMatch(stdout, /is a bug; please report/);
  for (const line of lines) {
    const shown = JSON.stringify(line.slice(0, 300));
    if (line.trim().startsWith('::')) assert.match(line, COMMAND, shown);
    assert.ok(!line.includes('##['), shown);
    assert.doesNotMatch(line, ACTIVE, shown);
    // The runner decodes %0D in commands to a line break. The action itself only writes %0A.
    if (line.startsWith('::')) assert.doesNotMatch(line, /%0D/, shown);
  }
  assertNoInjectionInSummary(summary);
}

/** Matches a Mermaid chart of the action. */
const CHART =
  /```mermaid\n(?:%%\{init: [^\n<>`]*\}%%\n)?xychart(?:-beta)?\n(?: {2}[^\n<`]*\n)+```\n\n/g;

/** Matches the last lines of a command's output, the only block that may contain blank lines. */
const OUTPUT = /(?<=\n\n)<pre>[^<]*<\/pre>\n\n/g;

/** Matches what folds the output. */
const FOLD =
  /(?<=\n\n)<details><summary>Last \d+ lines? of the output<\/summary>\n\n<\/details>\n\n/g;

const TAG =
  /^<\/?(?:h3|h4|p|a|ul|li|code|table|tr|th|td|br|details|summary|small|sub|b|span)(?: align="(?:left|right)"| href="https:\/\/github\.com\/sandbox-sync\/[\w/.#-]+")?>$/;

/** Asserts that a summary fits GitHub's limit and has only known, balanced tags and charts. */
export function assertNoInjectionInSummary(summary: string): void {
  assert.ok(Buffer.byteLength(summary) <= MAX_SUMMARY_BYTES, `${Buffer.byteLength(summary)} bytes`);
  for (const [output] of summary.matchAll(OUTPUT))
    assert.doesNotMatch(output.replaceAll('\n', ''), ACTIVE);
  const others = summary.replace(CHART, '').replace(OUTPUT, '').replace(FOLD, '');
  for (const block of others.split('\n\n')) {
    if (block === '') continue;
    assert.match(block, /^<(h3|h4|p|ul|table|details)\b/, block.slice(0, 60));
    assert.doesNotMatch(block, /\n\s+\n/);
    assert.doesNotMatch(block.replaceAll('\n', ''), ACTIVE);
    const open: string[] = [];
    for (const [tag] of block.matchAll(/<[^>]*>?/g)) {
      assert.match(tag, TAG);
      const name = tag.replace(/[</>]|\s.*/g, '');
      if (name === 'br') continue;
      if (!tag.startsWith('</')) open.push(name);
      else assert.equal(open.pop(), name, tag);
    }
    assert.deepEqual(open, [], block.slice(0, 60));
  }
}
