import { a as runSampler, i as receiveTask } from "./shared-monitor-sampler.js";

// src/main/monitor-sampler.ts
const [, , directory = ""] = process.argv;
await runSampler(directory, await receiveTask());

export {  };