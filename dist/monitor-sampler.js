import { c as runSampler, s as receiveSamplerOptions } from "./shared.js";

// src/main/monitor-sampler.ts
const [, , directory = ""] = process.argv;
await runSampler(directory, await receiveSamplerOptions());

export {  };