import { runSampler } from '../monitor/sampler.ts';

const [, , directory = '', jobPid] = process.argv;
await runSampler(directory, Number(jobPid));
