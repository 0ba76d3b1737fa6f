import { r as runSampler } from "./shared.js";

// src/main/monitor-sampler.ts
const [, , directory = "", jobPid] = process.argv;
await runSampler(directory, Number(jobPid));

export {  };