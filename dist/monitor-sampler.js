import { c as receiveSamplerOptions, l as runSampler } from "./shared.js";

// src/main/monitor-sampler.ts
const [, , directory = ""] = process.argv;
await runSampler(directory, await receiveSamplerOptions());

export {  };