import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'rolldown';

/**
 * Adds `licenses.txt` to a build, with name, version and licenses of each bundled package, and those
 * of rolldown, whose runtime is bundled, too.
 */
export function licenses(): Plugin {
  return {
    name: 'licenses',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter(output => output.type === 'chunk');
      const modules = chunks.flatMap(chunk => Object.keys(chunk.modules)).map(locate);
      const packages = Map.groupBy(modules, packageFolder);
      packages.delete('');
      const entries = [...packages].map(([folder, files]) => describe(folder, files)).sort();
      this.emitFile({
        type: 'asset',
        fileName: 'licenses.txt',
        source: [...entries, LLHTTP].join(`\n${'-'.repeat(80)}\n\n`),
      });
    },
  };
}

function locate(module: string): string {
  const file = module.replaceAll('\0', '');
  return file === 'rolldown/runtime.js' ? path.resolve('node_modules', file) : file;
}

function packageFolder(file: string): string {
  return /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0] ?? '';
}

function describe(folder: string, files: readonly string[]): string {
  const { name, version, license }: { name?: string; version?: string; license?: string } =
    JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const folders = new Set([folder, ...files.map(file => path.dirname(file))]);
  const texts = [...folders].sort().flatMap(licensesIn);
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
}

function licensesIn(folder: string): string[] {
  const names = readdirSync(folder).filter(entry => /^licen[cs]e/i.test(entry));
  return names.map(name => readFileSync(path.join(folder, name), 'utf8').trim());
}

// undici's parser of HTTP was compiled from llhttp, whose license its package lacks.
const LLHTTP = `llhttp, in undici (MIT)

Copyright Fedor Indutny, 2018.

Permission is hereby granted, free of charge, to any person obtaining a
copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including
without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the
following conditions:

The above copyright notice and this permission notice shall be included
in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS
OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN
NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE
USE OR OTHER DEALINGS IN THE SOFTWARE.
`;
