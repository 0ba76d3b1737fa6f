import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Command, measure } from './process.ts';
import type { ColdStart } from './results.ts';

/** Runs a command and says what of dist it loads. `record` is a file to use for it. */
export async function loadedBy(
  command: Command,
  record: string,
): Promise<Pick<ColdStart, 'loadedBytes' | 'packages'>> {
  const recorder = path.join(import.meta.dirname, 'record-loaded.js');
  await measure({
    ...command,
    env: { ...command.env, NODE_OPTIONS: `--import=${recorder}`, LOADED_FILES: record },
  });
  const urls: string[] = JSON.parse(readFileSync(record, 'utf8'));
  const texts = urls.filter(url => url.startsWith('file:')).map(url => readFileSync(new URL(url), 'utf8'));
  return {
    loadedBytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    packages: [...new Set(texts.flatMap(packagesIn))].toSorted(),
  };
}

/** The bundler leaves the path of each module in a comment. */
function packagesIn(text: string): string[] {
  const paths = text.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm);
  return [...paths].map(([, name = '']) => name);
}
