import { step } from '../github/step.ts';
import { sync } from '../run/sync.ts';

await step('sync', sync);
