import type { RolldownOptions } from 'rolldown';
import { licenses } from './scripts/licenses.ts';

// One file per action entry and one shared vendor file, unhashed and unminified: what the runner executes
// can be read and reviewed, and is the same bytes on every machine.
export default {
  input: { sync: 'src/main/sync.ts', upload: 'src/main/upload.ts', stats: 'src/main/stats.ts' },
  platform: 'node',
  // Of the sources only small-heap.ts is imported for what it does.
  treeshake: {
    moduleSideEffects: [
      { test: /small-heap/, sideEffects: true },
      { test: /./, sideEffects: false },
    ],
  },
  plugins: [licenses()],
  output: {
    dir: 'dist',
    format: 'esm',
    cleanDir: true,
    minify: false,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: {
      groups: [
        { name: 'vendor', test: /node_modules/ },
        { name: 'shared', test: /[\\/]src[\\/]/, minShareCount: 2 },
      ],
    },
  },
} satisfies RolldownOptions;
