import { n as step } from "./shared.js";
import { n as upload, r as checkFiles } from "./shared-sync-upload.js";

// src/main/upload.ts
await step("upload", upload, { check: checkFiles });

export {  };