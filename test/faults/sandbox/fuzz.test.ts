import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { statusFailure, whatItSaid } from '../../../src/agent/answer.ts';
import type { Exchange } from '../../../src/agent/exchange.ts';
import { AgentError } from '../../../src/agent/failure.ts';
import type { HttpAnswer } from '../../../src/agent/http.ts';
import { readStats } from '../../../src/agent/stats-client.ts';
import { uploads } from '../../../src/agent/upload-client.ts';
import { gateOf, judge } from '../../../src/gate/judge.ts';
import { gateOutputs, reportJson, statsOutputs, uploadOutputs } from '../../../src/report/outputs.ts';
import type { Report } from '../../../src/report/report.ts';
import { summary } from '../../../src/report/summary.ts';
import { furtherLines, headline, reportedError, waitError } from '../../../src/report/verdict.ts';
import { decodeStats, type Stats } from '../../../src/stats/decode.ts';
import { redactor } from '../../../src/text/redact.ts';
import { harmless } from '../../../src/text/visible.ts';
import type { FileResult } from '../../../src/upload/result.ts';
import { fileOf } from '../../agent/bodies.ts';
import { parse } from '../../gate/given.ts';
import { parsed } from '../../inputs/given.ts';
import { report } from '../../report/reports.ts';
import { hostileAnswer, retryAfter, SPELLINGS, status } from './arbitraries.ts';
import { checkLine, checkSummary } from './checks.ts';

/** The long form, for a change of what takes answers in, is FUZZ_CASES=100000. */
const CASES = Number(process.env['FUZZ_CASES'] ?? 3000);

const CONNECTION = parsed().connection;
const redact = redactor([SPELLINGS[0] ?? '']);
const CONDITIONS = ['gpu_used > 1', 'cpu_used_pct.mean >= 80', 'mem_used < 1GiB', 'disk_used_pct != 5'].map(
  parse,
);
const FILE = { source: 'a.txt', realPath: '/w/a.txt', target: 'a.txt', size: 1 };

/** What a promise comes to; it may fail with nothing but an AgentError. */
async function settled<T>(promise: Promise<T>): Promise<T | AgentError> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof AgentError) return error;
    throw error;
  }
}

function exchangeOf(answer: HttpAnswer): Exchange {
  return { redact, send: () => Promise.resolve(answer) };
}

async function uploadOf(answer: HttpAnswer, realPath: string): Promise<FileResult> {
  const { upload } = uploads(CONNECTION, { query: {} }, exchangeOf(answer));
  const outcome = await settled(upload({ ...FILE, realPath }, () => {}));
  const common = { file: FILE, attempts: 1, durationMs: 1 };
  if (outcome instanceof AgentError) return { status: 'failed', ...common, error: outcome };
  return { status: 'uploaded', ...common, ...outcome };
}

/** The report of a run to which every answer was the same. */
function reportOn(files: readonly FileResult[], stats: Stats | AgentError, failure: AgentError): Report {
  const samples = stats instanceof AgentError ? [] : [1, 2, 3].map(at => ({ at: at * 1000, stats }));
  const figures = samples.map(sample => sample.stats.figures);
  const judgements = CONDITIONS.map(condition => judge(condition, figures));
  const missing = judgements.filter(({ holds }) => holds !== true);
  return report({
    files: [...files, { status: 'failed', file: FILE, attempts: 1, durationMs: 1, error: failure }],
    stats: samples.at(-1)?.stats,
    samples,
    gate: gateOf({ failIf: CONDITIONS.slice(0, 2), warnIf: CONDITIONS.slice(2) }, figures),
    errors: [
      ...(stats instanceof AgentError ? [reportedError(stats)] : []),
      reportedError(failure),
      waitError({ held: false, waitedMs: 5, missing, error: failure }),
    ],
    warnings: stats instanceof AgentError ? [] : stats.warnings,
  });
}

function checkSecret(place: string, text: string): void {
  // JSON within JSON is escaped twice.
  for (const form of SPELLINGS.flatMap(spelling => [spelling, JSON.stringify(spelling).slice(1, -1)])) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
      // Where its first letter is the last digit of an escape, it is not there, but looks like it.
      assert.match(text.slice(0, at), /\\u\{?[0-9a-f]+$/, `${place} has ${form}`);
    }
  }
}

/** Checks all that a report becomes. */
function checkReport(of: Report): void {
  const written = [...reportJson(of)].join('');
  JSON.parse(written);
  const short = summary(of);
  checkSummary(short);
  const lines = [headline(of), ...furtherLines(of), ...of.warnings];
  for (const line of lines) checkLine(line);
  const outputs = [uploadOutputs, statsOutputs, gateOutputs].map(make => make(of).outputs);
  for (const [name, value] of outputs.flatMap(each => Object.entries(each))) {
    if (['uploaded', 'stats', 'breaches', 'aggregates'].includes(name) && value !== '') JSON.parse(value);
    else assert.match(value, /^(?:-?\d*(?:\.\d+)?(?:e[+-]\d+)?|none|passed|warned|failed)$/, name);
    checkSecret(name, value);
  }
  checkSecret('the report', written);
  checkSecret('the summary', short);
  checkSecret('the log', lines.map(harmless).join('\n'));
}

suite('whatever is answered', () => {
  test(`${CASES} times, it is taken in, reported and shown without harm`, async t => {
    using file = fileOf('x');
    let [stored, decoded] = [0, 0];
    const start = performance.now();
    const property = fc.asyncProperty(hostileAnswer, status, retryAfter, async (text, code, after) => {
      const tried = 'POST https://sandbox.example.com/files';
      const answer = { tried, status: 200, text, retryAfter: after, sentWhole: true };
      const said = whatItSaid(text, redact);
      assert.ok(said.length <= 301);
      checkLine(said);
      checkSecret('what it said', said);
      const failure = statusFailure({ ...answer, status: code }, redact, 0);
      assert.ok((failure.retryAfterMs ?? 1) > 0 && (failure.retryAfterMs ?? 1) <= 60_000);
      checkLine(failure.message);
      const result = await uploadOf(answer, file.path);
      const stats = await settled(readStats(CONNECTION, exchangeOf(answer)).then(decodeStats));
      stored += Number(result.status === 'uploaded');
      decoded += Number(!(stats instanceof AgentError));
      checkReport(reportOn([result], stats, failure));
    });
    await fc.assert(property, { numRuns: CASES });
    const perMinute = Math.round((CASES * 60_000) / (performance.now() - start));
    t.diagnostic(`${perMinute} cases a minute; ${stored} acknowledged, ${decoded} were stats`);
    assert.ok(stored > CASES / 50 && decoded > CASES / 10, 'too few answers go far');
  });
});
