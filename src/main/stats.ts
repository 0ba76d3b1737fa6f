import { step } from '../github/step.ts';
import { parseStats } from '../inputs/tasks.ts';
import { stats } from '../run/stats.ts';
import { userAgent } from './user-agent.ts';

await step({ task: 'stats', userAgent, parse: parseStats, run: stats });
