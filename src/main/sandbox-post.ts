import { annotate } from '../github/log.ts';
import { plainStep } from '../github/plain-step.ts';
import { keptSandbox } from '../github/sandbox-state.ts';
import { inputError } from '../inputs/input-error.ts';
import { deleteSandbox, leftBehind } from '../sandbox/sandbox.ts';

const sandbox = keptSandbox();
if (sandbox !== undefined) {
  const { id, endsAt, inputs: given, hasKey } = sandbox;
  await plainStep(
    'sandbox-end',
    async (inputs, context) => {
      if (!hasKey)
        throw inputError(
          'api-key',
          'is not the one that the sandbox was created with. In nested composite actions, give the outer action an input api-key too.',
        );
      await deleteSandbox(sandbox, inputs, context);
    },
    { given, onFailure: lines => annotate.warning([leftBehind(id, endsAt), ...lines]) },
  );
}
