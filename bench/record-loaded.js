import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// Loaded into a process before anything else, to leave behind which files it loaded.
const urls = [];
registerHooks({
  load(url, context, next) {
    urls.push(url);
    return next(url, context);
  },
});
process.on('exit', () => writeFileSync(process.env['LOADED_FILES'] ?? '', JSON.stringify(urls)));
