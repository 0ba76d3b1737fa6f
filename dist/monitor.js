import { n as startMonitor } from "./shared.js";
import path from "node:path";

// src/main/monitor.ts
await startMonitor(path.join(import.meta.dirname, "monitor-sampler.js"));

export {  };