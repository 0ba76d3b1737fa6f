import path from 'node:path';
import { startMonitor } from '../github/monitor.ts';
import { userAgent } from './user-agent.ts';

await startMonitor(path.join(import.meta.dirname, 'monitor-sampler.js'), userAgent);
