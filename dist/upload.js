import { s as step } from "./shared.js";
import { n as upload } from "./shared-sync-upload.js";

// src/main/upload.ts
await step("upload", upload);

export {  };