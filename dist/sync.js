import { n as step } from "./shared.js";
import { r as checkFiles, t as sync } from "./shared-sync-upload.js";

// src/main/sync.ts
await step("sync", sync, { check: checkFiles });

export {  };