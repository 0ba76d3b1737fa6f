import { writeFileSync } from 'node:fs';

// Loaded into the action's process before the action itself, to leave behind how much memory it took. JavaScript, since
// to strip types would take memory of its own.
const file = process.env['PEAK_MEMORY_FILE'];
if (file !== undefined) {
  process.on('exit', () => writeFileSync(file, String(process.resourceUsage().maxRSS * 1024)));
}
