import { plainStep } from '../github/plain-step.ts';
import { requireFileCommands } from '../github/runner.ts';
import { keepSandbox, publishSandbox, traceOfStep } from '../github/sandbox-state.ts';
import { getSandbox } from '../sandbox/sandbox.ts';

await plainStep('sandbox', async (inputs, context, raw) => {
  requireFileCommands('sandbox', ['GITHUB_STATE', 'GITHUB_OUTPUT']);
  await getSandbox(inputs, context, {
    trace: traceOfStep(),
    willDelete: (id, endsAt) => keepSandbox(id, endsAt, raw),
    publish: publishSandbox,
  });
});
