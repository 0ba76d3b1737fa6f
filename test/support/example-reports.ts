import { AgentError, failureInfoOf } from '../../src/agent/failure.ts';
import { InputError } from '../../src/inputs/input-error.ts';
import type { Report } from '../../src/report/render.ts';
import { reasonOfError } from '../../src/report/section.ts';
import type { UploadedFile } from '../../src/upload/uploaded-file.ts';
import { measured, reading, report, runReport, withGap } from './build-report.ts';
import {
  diskFull,
  failed,
  notAttempted,
  planned,
  SHA256,
  unchanged,
  uploaded,
} from './file-results.ts';

const many = (count: number, toResult: (name: string, size: number) => UploadedFile) =>
  Array.from({ length: count }, (_, index) => toResult(`dist/${index}.js`, 200 * (index + 1)));

const CPU = [5, 12, 30, 64, 82, 95, 97, 71, 40, 22, 15, 8];
const MEMORY = [22, 25, 31, 48, 77, 84, 90.2, 88, 82, 60, 41, 30];
const busy = CPU.map((cpu, index) => reading(cpu, MEMORY[index] ?? 0));
const few = busy.slice(0, 3);

const reset = new AgentError('connection', 'POST https://h/process.Process/Connect failed.');

const invalid = new InputError([
  { input: 'port', message: '"x" is not a whole number. Example: port: 49983' },
  { input: 'files', message: '"dist/**" matches nothing.' },
]);

/** Typical reports, whose summaries are the files in golden/. */
export const EXAMPLE_REPORTS: Readonly<Record<string, Report>> = {
  success: report({
    files: [uploaded('dist/run.sh', 300, 5), ...many(240, uploaded)],
    retries: 4,
    durationMs: 310,
    digest: `sha256:${SHA256}`,
    orphaned: ['/home/user/app/old.js'],
    skipped: [{ path: 'dist/latest', reason: 'a broken link' }],
    stats: measured([reading(35.5, 42)], ['mem_used_pct > 80', 'disk_free < 512MiB']),
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
  'gate-failed': report({
    task: 'monitor',
    name: 'tests',
    stats: measured(
      busy,
      ['mem_used_pct > 80', 'disk_free < 18GiB', 'load > 5'],
      ['cpu_used_pct > 90', 'cpu_used_pct.mean > 60'],
    ),
  }),
  'dry-run': report({
    files: [...many(60, planned), unchanged('dist/index.html')],
    dryRun: true,
  }),
  'dead-sandbox': report({
    task: 'monitor',
    stats: withGap(measured(few, ['mem_used_pct > 80'], [], true), 15, 60, {
      early: 'GET https://sandbox.example.com/metrics answered 502: "sandbox not found"',
    }),
  }),
  cancelled: report({
    files: [...many(12, uploaded), ...many(30, notAttempted)],
    cancelled: true,
  }),
  'invalid-inputs': report({
    error: reasonOfError(invalid),
    sandbox: { id: '', baseUrl: '' },
    isGateUnseen: true,
  }),
  'run-passed': runReport(
    { kind: 'exited', code: 0 },
    { stats: measured(few, ['mem_used_pct > 95']) },
  ),
  'run-exited-1': runReport(
    { kind: 'exited', code: 1 },
    { stats: measured(few, ['mem_used_pct > 95']) },
  ),
  'run-lost': runReport(
    { kind: 'lost', error: failureInfoOf(reset) },
    { stats: measured(few) },
    10,
  ),
};
