import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prose } from '../../src/report/html.ts';

test('prose renders text in backticks as code', () => {
  const { html } = prose('Set `files-per-request` to 1 & `a');
  assert.equal(html, 'Set <code>files-per-request</code> to 1 &amp; <code>a</code>');
});
