import { step } from '../github/step.ts';
import { sync } from '../run/sync.ts';
import { checkFiles } from '../upload/selection.ts';

await step('sync', sync, { check: checkFiles });
