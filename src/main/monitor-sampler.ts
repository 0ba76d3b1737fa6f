import { runSampler } from '../monitor/sampler.ts';
import { receiveSamplerOptions } from '../monitor/start.ts';

const [, , directory = ''] = process.argv;
await runSampler(directory, await receiveSamplerOptions());
