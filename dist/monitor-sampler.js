import { c as runSampler, s as receiveTask } from "./shared.js";

// src/main/monitor-sampler.ts
const [, , directory = ""] = process.argv;
await runSampler(directory, await receiveTask());

export {  };