import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';
import config from '../../rolldown.config.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

// What imports this file runs or reads dist. It fails here rather than test what src once was.
// dev/test.ts has just built dist.
if (process.env['SANDBOX_SYNC_DIST'] !== 'built' && (await isStale()))
  throw new Error('dist is not what src builds. Run npm run build, or test with dev/test.ts.');

async function isStale(): Promise<boolean> {
  const { output } = await build({ ...config, cwd: ROOT, write: false });
  const chunks = output.filter(file => file.type === 'chunk');
  return chunks.some(({ fileName, code }) => {
    const file = path.join(ROOT, 'dist', fileName);
    return !existsSync(file) || readFileSync(file, 'utf8') !== code;
  });
}
