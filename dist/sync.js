import { s as step } from "./shared.js";
import { t as sync } from "./shared-sync-upload.js";

// src/main/sync.ts
await step("sync", sync);

export {  };