import assert from 'node:assert/strict';
import type { Result } from '../../action/harness.ts';
import { blocksOf, checkBlocks } from '../../report/blocks.ts';

/** GitHub's limit. */
const MAX_SUMMARY_BYTES = 1024 * 1024;
const MAX_LOG_BYTES = 200 * 1024;

/** Every command that the action writes. */
const COMMANDS = [
  /^::add-mask::the-access-token-42$|^::add-mask::zq-7/,
  /^::group::Files$/,
  /^::endgroup::$/,
  /^::(error|warning|notice)::/,
  // The glob library writes these too.
  /^::debug::/,
];

/** Characters that terminals act on, or that reorder text. */
const ACTIVE = /[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/**
 * Checks that nothing in a run acts on the runner or a reader, and that everything is of bounded
 * size.
 */
export function checkHarmless(result: Result): void {
  const { stdout, stderr, summary, outputs, reportText } = result;
  assert.equal(stderr, '');
  assert.ok(
    Buffer.byteLength(stdout) <= MAX_LOG_BYTES,
    `a log of ${Buffer.byteLength(stdout)} bytes`,
  );
  checkLog(stdout);
  checkSummary(summary);
  assert.doesNotMatch(stdout, /is a bug; please report/);
  if (reportText !== '') JSON.parse(reportText);
  for (const name of ['uploaded', 'stats', 'breaches', 'aggregates']) {
    const output = outputs[name] ?? '';
    if (output !== '') JSON.parse(output);
  }
}

/** Checks the lines of a log as the runner reads them. */
export function checkLog(log: string): void {
  for (const line of log.split('\n')) {
    const shown = JSON.stringify(line.slice(0, 300));
    if (line.trim().startsWith('::')) {
      assert.ok(
        COMMANDS.some(command => command.test(line)),
        `a command: ${shown}`,
      );
    }
    assert.ok(!line.includes('##['), `a command: ${shown}`);
    assert.doesNotMatch(line, ACTIVE, shown);
    // In a command, %0D would be a line break; the action only writes %0A.
    if (line.startsWith('::')) assert.doesNotMatch(line, /%0D/, shown);
  }
}

const TAGS = /^(?:h3|h4|p|a|ul|li|code|table|tr|th|td|br|details|summary)$/;

/** A chart of numbers and times only, as the action draws it. */
const CHART =
  /```mermaid\n%%\{init: [^\n<>`]*\}%%\nxychart-beta\n {2}accTitle: [\w ,]+\n {2}accDescr: [\w :,]+\n {2}x-axis "[\w :,.]+" 0 --> [\d.]+\n {2}y-axis -?\d+ --> \d+\n(?: {2}(?:line|bar) \[[-\d., ]+\]\n)+```\n\n/g;

/** Checks that a summary only has the action's own tags, and no Markdown except charts. */
export function checkSummary(summary: string): void {
  assert.ok(Buffer.byteLength(summary) <= MAX_SUMMARY_BYTES, `${Buffer.byteLength(summary)} bytes`);
  if (summary === '') return;
  // @actions/core adds nothing to the text.
  const blocks = summary.replace(CHART, '');
  checkBlocks(blocks);
  for (const block of blocksOf(blocks)) {
    for (const [tag, name = ''] of block.matchAll(/<\/?([^\s>]*)[^>]*>?/g)) {
      assert.match(name, TAGS, tag);
      assert.match(tag, /^<\/?\w+(?: align="(?:left|right)"| href="https:[\w/.-]+")?>$/);
    }
    assert.doesNotMatch(block.replaceAll('\n', ''), ACTIVE);
  }
}
