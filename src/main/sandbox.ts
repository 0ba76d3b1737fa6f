import { plainStep } from '../github/plain-step.ts';
import {
  keepSandbox,
  publishSandbox,
  requireFileCommands,
  traceOfStep,
} from '../github/sandbox-state.ts';
import { getSandbox } from '../sandbox/sandbox.ts';

await plainStep('sandbox', async (inputs, context, raw) => {
  requireFileCommands();
  await getSandbox(inputs, context, {
    trace: traceOfStep(),
    willDelete: (id, endsAt) => keepSandbox(id, endsAt, raw),
    publish: publishSandbox,
  });
});
