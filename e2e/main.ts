import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runJob, type StepResult } from '../local-runner/job.ts';
import { logPrinter, title } from '../local-runner/print.ts';
import { readJobSteps } from '../local-runner/workflow-file.ts';

// Runs on this machine, step by step, what the job self-run of ci.yml has GitHub run. Another workflow file may be named.

const PROJECT = path.dirname(import.meta.dirname);
const [workflow = path.join(PROJECT, '.github/workflows/ci.yml')] = process.argv.slice(2);

const temp = await mkdtemp(path.join(tmpdir(), 'sandbox-sync-e2e-'));
const results: StepResult[] = [];
try {
  await runJob(await readJobSteps(workflow, 'self-run', 'npm ci'), {
    workspace: PROJECT,
    temp,
    onStart: title,
    onLine: logPrinter(),
    onEnd: result => results.push(result),
  });
  conclude();
} finally {
  endSandbox();
  await rm(temp, { recursive: true, maxRetries: 5 });
}

/** GitHub's runner ends what a job leaves running. */
function endSandbox(): void {
  const pid = results.find(({ step }) => step.id === 'sandbox')?.end?.outputs['pid'];
  if (pid !== undefined) process.kill(Number(pid));
}

function conclude(): void {
  const failures = results
    .filter(({ conclusion }) => conclusion === 'failure')
    .map(({ step, phase }) => (phase === 'post' ? `Post ${step.title}` : step.title));
  if (!monitorReported()) failures.push('The monitor wrote no summary of its samples');
  console.log(failures.length === 0 ? '\n── All went as expected.' : `\n── Failed: ${failures.join('; ')}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

/** The summary of a post step is written when the job has no more steps that could look at it. */
function monitorReported(): boolean {
  return results.some(({ phase, end }) => phase === 'post' && /\bmem_used_pct\b/.test(end?.summary ?? ''));
}
