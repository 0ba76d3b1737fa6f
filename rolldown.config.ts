import type { RolldownOptions } from 'rolldown';
import { licenses } from './dev/scripts/licenses.ts';

/** The entries of each family; what families share is named after them. */
const FAMILIES = {
  sync: ['sync', 'upload', 'stats'],
  monitor: ['monitor', 'monitor-stop', 'monitor-post'],
  sampler: ['monitor-sampler'],
  sandbox: ['sandbox', 'sandbox-post'],
};
const ENTRIES = Object.values(FAMILIES).flat();

export default {
  platform: 'node',
  input: Object.fromEntries(ENTRIES.map(name => [name, `src/main/${name}.ts`])),
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
    chunkFileNames: ({ name }) => `${shortened(name)}.js`,
    codeSplitting: {
      groups: [
        { name: 'undici', test: /node_modules[\\/]undici[\\/]/ },
        { name: 'core', test: /node_modules[\\/]@actions[\\/]core[\\/]/ },
        { name: 'vendor', test: /node_modules/ },
        {
          name: 'shared',
          test: /[\\/]src[\\/]/,
          minShareCount: 2,
          // An entry loads only what it uses. In larger pieces, starting a monitor would load
          // undici.js, and the sampler, which lives through the whole job, vendor.js.
          entriesAware: true,
          entriesAwareMergeThreshold: 8000,
        },
      ],
    },
  },
} satisfies RolldownOptions;

/** The families in a name such as `shared~sync~monitor-post`; none if all share the chunk. */
function shortened(chunk: string): string {
  const [group = '', ...entries] = chunk.split('~');
  const families = Object.entries(FAMILIES).filter(([, own]) =>
    own.some(entry => entries.includes(entry)),
  );
  const isForAll = families.length === Object.keys(FAMILIES).length;
  return [group, ...(isForAll ? [] : families.map(([family]) => family))].join('-');
}
