import './small-heap.ts';
import { step } from '../github/step.ts';
import { parseSync } from '../inputs/tasks.ts';
import { sync } from '../run/sync.ts';
import { userAgent } from './user-agent.ts';

await step({ task: 'sync', userAgent, parse: parseSync, run: sync });
