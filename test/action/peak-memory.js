import { writeFileSync } from 'node:fs';

// Preloaded into the action: writes down its peak memory. In JavaScript, since stripping types
// would take memory.
const file = process.env['PEAK_MEMORY_FILE'];
if (file !== undefined) {
  process.on('exit', () => writeFileSync(file, String(process.resourceUsage().maxRSS * 1024)));
}
