import type { RolldownOptions } from 'rolldown';
import { licenses } from './dev/scripts/licenses.ts';
import { ACTIONS } from './src/inputs/inputs.ts';

const SCRIPTS = Object.values(ACTIONS).flatMap(({ scripts }): readonly string[] => scripts);

export default {
  platform: 'node',
  // Nobody imports the entries.
  preserveEntrySignatures: false,
  input: Object.fromEntries(SCRIPTS.map(name => [name, `src/main/${name}.ts`])),
  // No source, and no package, is imported for what it does when it is loaded.
  treeshake: { moduleSideEffects: false },
  plugins: [licenses()],
  // Unhashed and unminified: what the runner executes can be read and reviewed, and is the same
  // bytes on every machine.
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'esm',
    minify: false,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: {
      // A group has what its pattern matches, and nothing that this imports.
      includeDependenciesRecursively: false,
      groups: [
        { name: 'undici', test: /node_modules[\\/]undici[\\/]/ },
        { name: 'core', test: /node_modules[\\/]@actions[\\/]core[\\/]/ },
        // Only a transfer needs these, and loading them takes longer than reading the stats.
        { name: 'vendor', test: /node_modules/ },
        {
          name: 'transfer',
          test: /src[\\/](files|upload|download|sync|report[\\/]transfer-section|agent[\\/]request-each)/,
        },
        { name: 'shared', test: /[\\/](src[\\/](?!main)|package\.json)/ },
      ],
    },
  },
} satisfies RolldownOptions;
