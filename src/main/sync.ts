import './small-heap.ts';
import { step } from '../github/step.ts';
import { parseSync } from '../inputs/tasks.ts';
import { sync } from '../run/sync.ts';
import { userAgent } from './user-agent.ts';

await step('sync', (raw, surroundings) => sync(parseSync(raw), { ...surroundings, userAgent }));
