import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'rolldown';

/** Adds `licenses.txt` to a build, with name, version and license of each bundled package. */
export function licenses(): Plugin {
  return {
    name: 'licenses',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter(output => output.type === 'chunk');
      const folders = new Set(
        chunks.flatMap(chunk => Object.keys(chunk.modules)).flatMap(packageFolder),
      );
      const entries = [...folders].map(describe).sort();
      this.emitFile({
        type: 'asset',
        fileName: 'licenses.txt',
        source: entries.join(`\n${'-'.repeat(80)}\n\n`),
      });
    },
  };
}

function packageFolder(module: string): string[] {
  const [folder] = /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(module) ?? [];
  return folder === undefined ? [] : [folder.replaceAll('\0', '')];
}

function describe(folder: string): string {
  const { name, version, license }: { name?: string; version?: string; license?: string } =
    JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find(entry => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : readFileSync(path.join(folder, file), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}
