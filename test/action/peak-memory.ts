import { writeFileSync } from 'node:fs';

// Loaded into the action's process before the action itself, to leave behind how much memory it took.
const file = process.env['PEAK_MEMORY_FILE'];
if (file !== undefined) {
  process.on('exit', () => writeFileSync(file, String(process.resourceUsage().maxRSS * 1024)));
}
