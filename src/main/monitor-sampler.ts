import { runSampler } from '../monitor/sampler.ts';
import { receiveTask } from '../monitor/start.ts';

const [, , directory = ''] = process.argv;
await runSampler(directory, await receiveTask());
