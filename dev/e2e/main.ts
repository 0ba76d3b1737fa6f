import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runJob, type StepResult } from '../runner/job.ts';
import { logPrinter } from '../runner/log.ts';
import { readWorkflow } from '../runner/workflow-file.ts';

// Runs the steps of the job self-run in ci.yml on this machine, from the one after npm ci on,
// against their own agent or one that already runs.

const PROJECT = path.resolve(import.meta.dirname, '../..');

const text = { type: 'string', default: '' } as const;
const { values } = parseArgs({
  options: {
    'base-url': text,
    token: text,
    'sandbox-id': { ...text, default: 'self-run' },
    'header-prefix': { ...text, default: 'Svc' },
    workflow: { ...text, default: path.join(PROJECT, '.github/workflows/ci.yml') },
  },
});

const temp = await mkdtemp(path.join(tmpdir(), 'sandbox-sync-e2e-'));
const selfRun = (await readWorkflow(values.workflow)).find(({ name }) => name === 'self-run');
const steps = selfRun?.steps ?? [];
const ready = steps.flat().findIndex(({ does }) => 'script' in does && does.script === 'npm ci');
const results = await runJob(steps.slice(ready + 1), {
  workspace: PROJECT,
  temp,
  machine: {
    AGENT_URL: values['base-url'],
    AGENT_TOKEN: values.token,
    AGENT_SANDBOX_ID: values['sandbox-id'],
    AGENT_HEADER_PREFIX: values['header-prefix'],
  },
  log: logPrinter(),
});
const failures = results.flatMap(failureOf);
if (!results.some(hasReported)) failures.push('The monitor wrote no summary of its samples');
console.log(
  `\n── ${failures.length === 0 ? 'All went as expected.' : `Failed: ${failures.join('; ')}`}`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
endSandbox();
await rm(temp, { recursive: true, maxRetries: 5 });

function failureOf({ step, phase, conclusion }: StepResult): string[] {
  if (conclusion !== 'failure') return [];
  return [phase === 'post' ? `Post ${step.title}` : step.title];
}

/** The post step of the monitor is the last one, so no step can check its summary. */
function hasReported({ phase, end }: StepResult): boolean {
  return phase === 'post' && /Peak over \d+ samples/.test(end?.summary ?? '');
}

/** GitHub's runner ends what a job leaves running. */
function endSandbox(): void {
  const pid = results.find(({ step }) => step.id === 'sandbox')?.end?.outputs['pid'];
  if (pid !== undefined) process.kill(Number(pid));
}
