import path from 'node:path';
import { startMonitor } from '../github/monitor.ts';

await startMonitor(path.join(import.meta.dirname, 'monitor-sampler.js'));
