import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectFailure, expectSuccess, type Inputs } from '../support/run-action.ts';
import { answer, openScriptedJob, type Responder } from '../support/scripted-agent.ts';
import { filesBelow } from '../support/system.ts';
import { type Files } from '../support/test-job.ts';

/** Serves these texts or responders by path, and answers other downloads with 404. */
function serve(files: Readonly<Record<string, string | Responder>>): Responder {
  return (socket, request) => {
    const file = files[request.target];
    const message = `path '/home/user/${request.target}' does not exist`;
    const missing = answer(404, JSON.stringify({ code: 404, message }));
    const respond = typeof file === 'string' ? answer(200, file) : (file ?? missing);
    respond(socket, request);
  };
}

const cut: Responder = socket => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc');

/** Opens a job with `files` in its workspace, and an agent that serves `served`. */
async function openDownload(served: Parameters<typeof serve>[0], files: Files = {}) {
  const job = await openScriptedJob({ download: serve(served) }, files);
  const given = (inputs: Inputs) => ({ retries: '0', ...inputs });
  const options = { task: 'download' } as const;
  return {
    ...job,
    texts() {
      const files = Object.entries(filesBelow(job.workspace));
      return Object.fromEntries(files.map(([name, content]) => [name, content.toString()]));
    },
    succeed: (inputs: Inputs) => expectSuccess(job, given(inputs), options),
    fail: (inputs: Inputs) => expectFailure(job, given(inputs), options),
  };
}

test('files are downloaded to their targets, and reported with their sizes', async () => {
  const served = { 'app/junit.xml': '<new/>', 'app/coverage.tgz': '' };
  await using download = await openDownload(served, { 'reports/junit.xml': '<old/>' });
  const lines = 'app/junit.xml => reports/junit.xml\napp/coverage.tgz';
  const result = await download.succeed({ files: lines });
  const expected = { 'reports/junit.xml': '<new/>', 'coverage.tgz': '' };
  assert.deepEqual(download.texts(), expected);
  const { totals, files } = result.report.download;
  const rows = files.map(({ target, status, size }) => [target, status, size]);
  assert.deepEqual(rows, [
    ['reports/junit.xml', 'downloaded', 6],
    ['coverage.tgz', 'downloaded', 0],
  ]);
  assert.deepEqual([totals['downloaded'], totals['downloadedBytes']], [2, 6]);
  const { 'downloaded-count': downloaded, 'failed-count': failed } = result.outputs;
  assert.deepEqual([downloaded, failed], ['2', '0']);
  assert.match(result.summary, /^<p>✅ Downloaded 2 files \(6 B(, .*\/s)?\) in /);
  assert.match(
    result.stdout,
    /^::group::Files\ndownloaded: app\/junit\.xml → reports\/junit\.xml \(6 B\)$/m,
  );
});

test('targets start at working-directory, which must be in the workspace', async () => {
  await using download = await openDownload({ a: 'text' });
  await download.succeed({ files: 'a => b/c', 'working-directory': 'web' });
  const { workspace } = download;
  await download.succeed({ files: 'a', 'working-directory': `${workspace}/web` });
  assert.deepEqual(download.texts(), { 'web/a': 'text', 'web/b/c': 'text' });
  const result = await download.fail({ files: 'a', 'working-directory': '../outside' });
  assert.match(result.errors, /^working-directory: is outside the workspace\./m);
  assert.deepEqual(filesBelow(download.outside), {});
  assert.equal(download.agent.requests.length, 2);
});

const WARNING =
  'Downloaded 0 of 1 file, 1 missing\n*.xml does not exist in the sandbox. It is not the path of one file. Name each file.';
for (const [value, warning, start] of [
  ['warn', WARNING, '<h3>⚠️ Downloaded 0 of 1 file, 1 missing</h3>'],
  ['ignore', '', '<p>✅'],
] as const)
  test(`if-no-files-found decides about a file that does not exist [${value}]`, async () => {
    await using download = await openDownload({});
    const result = await download.succeed({ files: '*.xml', 'if-no-files-found': value });
    assert.equal(result.report.download.files[0]?.status, 'missing');
    assert.deepEqual([result.outputs['failed-count'], result.warnings], ['0', warning]);
    assert.ok(result.summary.startsWith(start), result.summary);
    assert.deepEqual(download.texts(), {});
  });

test('if-no-files-found: ignore does not apply to a 404 that is not about the file', async () => {
  await using download = await openDownload({ a: answer(404, '404 page not found') });
  const result = await download.fail({ files: 'a', 'if-no-files-found': 'ignore' });
  assert.match(result.errors, /404 page not found.*Check base-url/s);
});

test('files that do not exist fail a download, with a hint about a line that looks wrong', async () => {
  await using download = await openDownload({});
  const { errors, outputs } = await download.fail({ files: 'app/*.xml\nb # the report' });
  assert.match(errors, /app\/\*\.xml is not the path of one file\. Name each file\./);
  assert.match(errors, /b # the report has a # in it\./);
  assert.equal(outputs['failed-count'], '2');
});

test('a cut download is repeated; if it fails again, its target stays as it was, and other files arrive', async () => {
  let attempts = 0;
  const flaky: Responder = (socket, request) => {
    attempts += 1;
    (attempts === 1 ? cut : answer(200, 'whole'))(socket, request);
  };
  await using download = await openDownload({ a: flaky, b: cut }, { b: 'before' });
  const result = await download.fail({ files: 'a\nb', retries: '1' });
  assert.deepEqual(download.texts(), { a: 'whole', b: 'before' });
  const { files } = result.report.download;
  const ends = files.map(({ status, attempts: count, error }) => [status, count, error?.kind]);
  assert.deepEqual(ends, [
    ['downloaded', 2, undefined],
    ['failed', 2, 'connection'],
  ]);
  assert.match(result.stdout, /^Attempt 1 for a failed, next in /m);
  assert.match(result.stdout, /^::group::Files\nfailed: b → b\ndownloaded: a/m);
  assert.match(result.summary, /^<h3>❌ Downloaded 1 of 2 files, 1 failed<\/h3>/);
  assert.equal(result.report.download.retries, 2);
});
