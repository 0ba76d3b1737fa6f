import assert from 'node:assert/strict';
import { manyFiles, type Result } from '../../action/harness.ts';
import { hostileAnswers, SECRET, spellings } from './arbitraries.ts';
import { answer } from './hostile.ts';
import { runAgainst } from './running.ts';

/**
 * Answers each upload at random, and the stats with the first answer that could be some. Checks
 * that nothing does harm.
 */
export async function fuzz(seed: number, count: number): Promise<Result> {
  const answers = hostileAnswers(seed, count);
  const files = manyFiles(count);
  const byName = new Map(Object.keys(files).map((name, index) => [name, answers[index]]));
  const stats =
    answers.find(({ text }) => text.startsWith('{"') && text.length < 10_000)?.text ?? '{}';
  const { result } = await runAgainst({
    files,
    inputs: { token: SECRET, concurrency: '20', 'warn-if': 'gpu_used > 1\nmem_used < 1GiB' },
    upload: {
      say(socket, request) {
        const { status, text, retryAfter } = byName.get(request.name) ?? assert.fail(request.name);
        answer(status, text, [`Retry-After: ${retryAfter}`]).say(socket, request);
      },
    },
    stats: answer(200, stats),
  });
  assert.equal(result.report.files.length, count);
  assert.ok(
    result.report.files.every(({ status }) => status === 'uploaded' || status === 'failed'),
  );
  assertKept(result, seed);
  return result;
}

function assertKept({ everything }: Result, seed: number): void {
  const text = everything.replace(/^::add-mask::.*$/gm, '');
  for (const form of spellings(SECRET).flatMap(each => [each, JSON.stringify(each).slice(1, -1)])) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
      // If an escape ends in the secret's first letter, it only looks like the secret.
      assert.match(text.slice(at - 20, at), /\\u\{?[0-9a-f]+$/, `seed ${seed}: ${form} is there`);
    }
  }
}
