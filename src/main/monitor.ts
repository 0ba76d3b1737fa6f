import path from 'node:path';
import { startMonitor } from '../github/monitor.ts';
import { step } from '../github/step.ts';

const sampler = path.join(import.meta.dirname, 'monitor-sampler.js');
await step('monitor', (inputs, surroundings, raw) => startMonitor(inputs, { ...surroundings, raw, sampler }));
