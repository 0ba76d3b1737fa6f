import { AgentError, type FailureKind, failureInfoOf } from '../../src/agent/failure.ts';
import { parseOutputs } from '../../src/command/outputs.ts';
import type { DownloadResult } from '../../src/download/download.ts';
import { InputError } from '../../src/inputs/input-error.ts';
import type { Report } from '../../src/report/render.ts';
import { problemOfError } from '../../src/report/section.ts';
import { redactor } from '../../src/text/escape.ts';
import type { UploadRow } from '../../src/upload/upload-files.ts';
import {
  measured,
  type Parts,
  reading,
  report,
  runReport,
  SANDBOX,
  START,
  withGap,
} from './build-report.ts';
import {
  diskFull,
  failed,
  notAttempted,
  planned,
  SHA256,
  unchanged,
  uploaded,
} from './file-results.ts';

const many = (count: number, toResult: (name: string, size: number) => UploadRow) =>
  Array.from({ length: count }, (_, index) => toResult(`dist/${index}.js`, 200 * (index + 1)));

const DOWNLOAD: DownloadResult = {
  files: [
    {
      path: 'app/junit.xml',
      target: 'junit.xml',
      status: 'downloaded',
      attempts: 1,
      durationMs: 9,
      size: 2048,
    },
    {
      path: 'app/coverage.json',
      target: 'coverage.json',
      status: 'failed',
      attempts: 1,
      durationMs: 4,
      error: failureInfoOf(
        new AgentError(
          'no-such-file',
          'GET https://sandbox.example.com/files answered 404 Not Found. It said: "path \'/home/user/app/coverage.json\' does not exist".',
        ),
      ),
    },
  ],
  warnings: [],
  retries: 0,
  durationMs: 20,
};

const CPU = [5, 12, 30, 64, 82, 95, 97, 71, 40, 22, 15, 8];
const MEMORY = [22, 25, 31, 48, 77, 84, 90.2, 88, 82, 60, 41, 30];
const busy = CPU.map((cpu, index) => reading(cpu, MEMORY[index] ?? 0));
const few = busy.slice(0, 3);

const INVALID_OUTPUTS = parseOutputs('score=0.93\nno pair\n', redactor([]));

// The end of what Jest and npm print.
const JEST = `FAIL src/cart.test.js
  ● cart › adds the price of each item

    expect(received).toBe(expected)

    Expected: 30
    Received: 20

      at Object.toBe (src/cart.test.js:7:23)

Tests:       1 failed, 41 passed, 42 total
Ran all test suites.
npm error Lifecycle script \`test\` failed with error:
npm error code 1`.split('\n');

const failure = (kind: FailureKind, message: string) =>
  failureInfoOf(new AgentError(kind, message));
const HOST = 'https://sandbox.example.com';
const reset = failure(
  'connection',
  `POST ${HOST}/process.Process/Connect failed: read ECONNRESET.`,
);
const unreachable = new AgentError(
  'unreachable',
  `GET ${HOST}/metrics failed: getaddrinfo ENOTFOUND sandbox.example.com.`,
);
const gone = `GET ${HOST}/metrics answered 502 Bad Gateway. It said: "The sandbox was not found".`;

const invalid = new InputError([
  { input: 'port', message: '"x" is not a whole number from 1 to 65535. Example: `port: 49983`' },
  {
    input: 'token',
    message: 'is empty or null. Check the name of the secret or variable that it comes from.',
  },
  {
    input: 'files',
    message: '"dist/**" matches no files to upload. There is no "dist" in the working directory.',
  },
]);
const [onlyProblem] = invalid.problems;

const GATE = ['mem_used_pct > 80', 'disk_free < 1GiB'];
const passing = { stats: measured(few, ['mem_used_pct > 80']) };
const exited = (code: number) => ({ kind: 'exited', code }) as const;

/** One report of each kind of outcome, whose summaries are the files in golden/. */
export const EXAMPLE_REPORTS: Readonly<Record<string, Report>> = {
  uploaded: report({ files: many(3, uploaded), durationMs: 55, stats: measured([reading(3, 12)]) }),
  'uploaded-and-gate-passed': report({
    files: [uploaded('dist/run.sh', 300, 5), ...many(240, uploaded)],
    durationMs: 310,
    digest: `sha256:${SHA256}`,
    orphaned: ['/home/user/app/old.js'],
    stats: measured([reading(35.5, 42)], GATE),
  }),
  'uploaded-and-gate-failed': report({
    files: many(240, uploaded),
    durationMs: 1310,
    stats: measured([reading(35.5, 91.7)], GATE),
  }),
  'upload-with-a-warning': report({
    task: 'upload',
    files: many(240, uploaded),
    durationMs: 310,
    skipped: [{ path: 'dist/latest', reason: 'a broken link' }],
    warnings: ['Skipped (a broken link): "dist/latest".'],
  }),
  'failed-file': report({
    task: 'upload',
    files: [...many(12, uploaded), failed('dist/index.html')],
  }),
  'failed-files': report({
    files: [
      ...many(40, uploaded),
      ...many(60, name => failed(name, diskFull(name))),
      failed('dist/index.html'),
      notAttempted('dist/last.js'),
    ],
    stats: measured([reading(3, 12, 100)], ['mem_used_pct > 80']),
  }),
  'all-files-failed': report({ task: 'upload', files: many(7, name => failed(name)) }),
  'dry-run': report({
    files: [...many(60, planned), unchanged('dist/index.html')],
    dryRun: true,
  }),
  'nothing-to-do': report({ task: 'upload', files: many(19, unchanged) }),
  'download-with-a-missing-file': report({ task: 'download', download: DOWNLOAD }),
  'gate-passed': report({ task: 'stats', stats: measured([reading(3, 12)], GATE) }),
  'gate-failed': report({
    task: 'monitor',
    name: 'tests',
    stats: measured(
      busy,
      ['mem_used_pct > 80', 'disk_free < 18GiB', 'load > 5'],
      ['cpu_used_pct > 90', 'cpu_used_pct.mean > 60'],
    ),
  }),
  'gate-warned': report({
    task: 'stats',
    stats: measured([reading(97.3, 12)], ['mem_used_pct > 80'], ['cpu_used_pct > 90']),
  }),
  'gate-not-judged': report({ task: 'stats', stats: measured([reading(3, 12)], ['gpu > 5']) }),
  'stats-not-read': report({
    task: 'stats',
    stats: { ...measured([], GATE), error: failureInfoOf(unreachable) },
  }),
  'monitor-without-a-gate': report({
    task: 'monitor',
    name: 'Server',
    stats: {
      ...measured(busy),
      monitored: { from: START, to: START + 12_000, gaps: [], failures: [] },
    },
  }),
  'dead-sandbox': report({
    task: 'monitor',
    name: 'tests',
    stats: withGap(
      measured(few, ['mem_used_pct > 80', 'cpu_used_pct > 25'], [], true),
      15,
      60,
      gone.slice(0, -1),
    ),
  }),
  'run-passed': runReport(exited(0), { stats: measured(few) }),
  'run-passed-and-gate-passed': runReport(exited(0), passing),
  'run-exited-1': runReport(exited(1), { command: { lastLines: JEST }, ...passing }),
  'run-exited-1-without-a-cause': runReport(exited(1), {
    command: {
      failed: { exitCode: 1, pipeline: [], line: 3, file: '', command: 'cmp expected.txt got.txt' },
    },
  }),
  'run-set-outputs': runReport(exited(0), {
    command: { outputs: { pairs: [['score', '0.93']], problems: [] } },
  }),
  'run-set-invalid-outputs': runReport(exited(0), { command: { outputs: INVALID_OUTPUTS } }),
  'run-exited-1-and-gate-failed': runReport(exited(1), {
    name: 'Evals',
    stats: measured(busy, ['mem_used_pct > 80']),
  }),
  'run-killed-for-memory': runReport(exited(137), {
    command: { oomKills: 1 },
    stats: measured(busy),
  }),
  'run-ended-by-a-signal': runReport({ kind: 'killed', status: 'signal: killed' }),
  'run-stopped': runReport({ kind: 'stopped', by: 'max-duration' }),
  'run-lost': runReport({ kind: 'lost', error: reset }, { command: { reconnects: 10 } }),
  'run-not-started': runReport({ kind: 'not-started', error: reset }),
  'run-cancelled': runReport({ kind: 'stopped', by: 'cancellation' }, { cancelled: true }),
  cancelled: report({
    files: [...many(12, uploaded), ...many(30, notAttempted)],
    cancelled: true,
  }),
  'invalid-input': report(failedEarly(new InputError(onlyProblem ? [onlyProblem] : []))),
  'invalid-inputs': report(failedEarly(invalid)),
  'unreachable-host': report({ ...failedEarly(unreachable), sandbox: SANDBOX }),
};

function failedEarly(error: unknown): Parts {
  return { error: problemOfError(error), sandbox: { id: '', baseUrl: '' }, gateNotJudged: true };
}
