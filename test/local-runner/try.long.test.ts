import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { suite, type TestContext, test } from 'node:test';
import { WITHOUT_BASH } from '../system.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');

/** The inputs by which a step reaches its sandbox, in YAML. */
const ACCESS = "sandbox-id: a, token: '${{ secrets.TOKEN }}', base-url: '${{ vars.URL }}'";

/** Tries a workflow, given as a file or as the steps of its job, in a workspace with a small build. */
async function tryOut(t: TestContext, workflow: { file: string } | { steps: string }, ...flags: string[]) {
  const workspace = mkdtempSync(path.join(tmpdir(), 'try-'));
  t.after(() => rmSync(workspace, { recursive: true }));
  mkdirSync(path.join(workspace, 'dist'));
  for (const name of ['dist/index.html', 'dist/app.js.map', 'package.json'])
    writeFileSync(path.join(workspace, name), name);
  const steps = 'steps' in workflow ? workflow.steps.trim().replaceAll('\n', '\n      ') : '';
  const lines = `on: push\njobs:\n  a:\n    steps:\n      ${steps}\n`;
  writeFileSync(path.join(workspace, 'own.yml'), lines.replaceAll('\n', '\r\n'));
  const file = 'file' in workflow ? workflow.file : 'own.yml';
  const child = spawn(process.execPath, [path.join(PROJECT, 'local-runner/try.ts'), file, ...flags], {
    env: { ...process.env, INIT_CWD: workspace },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], log, errors] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code, log, errors, workspace };
}

suite('npm run try', { concurrency: 2 }, () => {
  test('runs an example, and shows what was left out and what arrived', async t => {
    const { code, log } = await tryOut(t, { file: path.join(PROJECT, 'examples/sync.yml') });
    assert.equal(code, 0, log);
    assert.match(log, /^Scripts that are skipped, and run with --run:\n {2}npm ci && npm run build\n/m);
    assert.match(log, /^Actions of others, which are skipped:\n {2}actions\/checkout@v7\n/m);
    assert.match(log, /uploaded: dist\/index\.html → \/home\/user\/app\/index\.html/);
    assert.match(log, /^ {2}uploaded-count: 2$/m);
    assert.match(log, /^Its summary, as text:\n✅ Sandbox Sync: Uploaded 2 files/m);
    assert.match(log, /^ +12 {2}home.user.app.package\.json$/m);
    assert.doesNotMatch(log, /app\.js\.map/);
  });

  test('runs a workflow of the workspace, where what is not known is empty text', async t => {
    const steps = `
- uses: ./upload
  if: github.ref == 'refs/heads/main'
  with: { files: 'dist/*.html', target: '/srv\${{ vars.FOLDER }}', ${ACCESS}, port: 8080 }
- uses: sandbox-sync/sandbox-sync/stats@v1
  if: failure()
  with: { ${ACCESS} }`;
    const { code, log } = await tryOut(t, { steps }, '--keep');
    assert.equal(code, 0, log);
    assert.match(log, /^ +15 {2}srv.index\.html$/m);
    assert.match(log, /^Skipped: sandbox-sync\/sandbox-sync\/stats@v1$/m);
    const root = /^Kept in (.*)$/m.exec(log)?.[1] ?? assert.fail(log);
    t.after(() => rmSync(path.dirname(root), { recursive: true }));
    assert.equal(readFileSync(path.join(root, 'srv/index.html'), 'utf8'), 'dist/index.html');
  });

  test('ends with 1 where a gate fails', async t => {
    const { code, log } = await tryOut(t, {
      steps: `- uses: ./\n  with: { files: none, fail-if: 'mem_total > 0B', ${ACCESS} }`,
    });
    assert.equal(code, 1, log);
    assert.match(log, /^Failed: \.\/$/m);
    assert.match(log, /^ {2}report: /m);
    assert.doesNotMatch(log, /^ +[\w-]+: $/m, 'an output that is not set is printed');
  });

  test('ends with 1 where no step uses the action, and runs no script', async t => {
    const { code, log, workspace } = await tryOut(t, { steps: '- run: touch made\n  shell: bash' });
    assert.equal(code, 1, log);
    assert.match(log, /^ {2}touch made$/m);
    assert.ok(!existsSync(path.join(workspace, 'made')));
  });

  test('runs scripts with --run', { skip: WITHOUT_BASH }, async t => {
    const steps = `
- id: made
  run: touch dist/made && echo 'to=/srv' >> "$GITHUB_OUTPUT"
- uses: ./upload
  with: { files: dist/made, target: '\${{ steps.made.outputs.to }}', ${ACCESS} }`;
    const { code, log } = await tryOut(t, { steps }, '--run');
    assert.equal(code, 0, log);
    assert.match(log, /^ +0 {2}srv.made$/m);
  });

  test('ends with 2 and one line where there is no such file', async t => {
    const { code, errors } = await tryOut(t, { file: 'nowhere.yml' });
    assert.equal(code, 2);
    assert.match(errors, /^.*nowhere\.yml'\n$/);
  });

  const make = '- id: box\n  run: |\n    echo "id=1" >> "$GITHUB_OUTPUT"\n    echo "token=t" >> "$GITHUB_OUTPUT"\n';
  const mistakes: Readonly<Record<string, readonly [inputs: string, message: RegExp]>> = {
    'no token': ["sandbox-id: a, base-url: 'https://a.b'", /token: is empty/],
    'a base URL that is refused': [
      "sandbox-id: a, token: t, base-url: 'http://a.b'",
      /base-url: "http:\/\/a\.b" would send/,
    ],
    'an output that no step sets': [
      ACCESS.replace('secrets.TOKEN', 'steps.box.outputs.tokn'),
      /no output tokn; did you mean token\?/,
    ],
    'a step that there is not': [
      ACCESS.replace('secrets.TOKEN', 'steps.bx.outputs.token'),
      /no step .* the id bx; did you mean box\?/,
    ],
    'a job that is not needed': [
      ACCESS.replace('secrets.TOKEN', 'needs.b.outputs.token'),
      /no job that this one needs with the id b$/m,
    ],
    'a token of another job': [ACCESS.replace('secrets.TOKEN', 'needs.b.outputs.token'), /token: GitHub drops masked/],
    'an unknown input': [`${ACCESS}, file: x`, /there is no input file; did you mean files\?/],
  };
  for (const [name, [inputs, message]] of Object.entries(mistakes)) {
    test(`ends with 1 and runs nothing where there is ${name}`, async t => {
      const { code, log } = await tryOut(t, { steps: `${make}- uses: ./\n  with: { files: dist, ${inputs} }` });
      assert.equal(code, 1, log);
      assert.match(log, message);
      assert.match(log, /^(error: job a, \.\/: .*\n)+$/);
    });
  }

  test('ends with 2 where a list stands for text', async t => {
    const { code, errors } = await tryOut(t, { steps: `- uses: ./\n  with: { files: [dist], ${ACCESS} }` });
    assert.equal(code, 2, errors);
    assert.match(errors, /^files is a YAML list, .* write files: \|\n$/);
  });

  test('helps', async t => {
    const { code, log } = await tryOut(t, { file: '--help' });
    assert.equal(code, 0);
    assert.match(log, /^Usage: [\s\S]*--run .*\n.*--keep .*\n/);
  });
});
