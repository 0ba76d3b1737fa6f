import { annotate } from '../github/log.ts';
import { plainStep } from '../github/plain-step.ts';
import { keptSandbox } from '../github/sandbox-state.ts';
import { deleteSandbox, leftBehind } from '../sandbox/sandbox.ts';

const NOT_THE_KEY =
  'api-key: is not the one that the sandbox was created with. In nested composite actions, give the outer action an input api-key too.';

const sandbox = keptSandbox();
if (sandbox !== undefined) {
  const { id, endsAt, inputs: given, hasKey } = sandbox;
  const warn = (lines: readonly string[]) => annotate.warning([leftBehind(id, endsAt), ...lines]);
  if (!hasKey) warn([NOT_THE_KEY]);
  else
    await plainStep('sandbox-end', (inputs, context) => deleteSandbox(sandbox, inputs, context), {
      given,
      onFailure: warn,
    });
}
