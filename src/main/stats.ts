import { step } from '../github/step.ts';
import { stats } from '../run/measure.ts';

await step('stats', stats);
