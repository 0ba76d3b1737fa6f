import type { RolldownOptions } from 'rolldown';
import { licenses } from './dev/scripts/licenses.ts';

const common = {
  platform: 'node',
  // No source, and no package, is imported for what it does when it is loaded.
  treeshake: { moduleSideEffects: false },
} as const;

// Unhashed and unminified: what the runner executes can be read and reviewed, and is the same bytes on every machine.
const output = {
  dir: 'dist',
  format: 'esm',
  minify: false,
  entryFileNames: '[name].js',
  // What all entries share has a plain name, other chunks are named after the entries that share them.
  chunkFileNames: ({ name }: { readonly name: string }) => {
    const all = '~sync~upload~stats~monitor~monitor-stop~monitor-post~sandbox~sandbox-post';
    return `${name.replace(all, '').replace('~sandbox-post', '').replaceAll('~', '-')}.js`;
  },
} as const;

// So that an entry loads only what it uses; pieces below so many bytes are not worth a file.
const byEntry = { entriesAware: true, entriesAwareMergeThreshold: 20_000 } as const;

// One file for each entry of the actions, and what they share: the sources in some files, the packages in others.
const actions = {
  ...common,
  input: {
    sync: 'src/main/sync.ts',
    upload: 'src/main/upload.ts',
    stats: 'src/main/stats.ts',
    monitor: 'src/main/monitor.ts',
    'monitor-stop': 'src/main/monitor-stop.ts',
    'monitor-post': 'src/main/monitor-post.ts',
    sandbox: 'src/main/sandbox.ts',
    'sandbox-post': 'src/main/sandbox-post.ts',
  },
  plugins: [licenses()],
  output: {
    ...output,
    cleanDir: true,
    codeSplitting: {
      groups: [
        { name: 'undici', test: /node_modules[\\/]undici[\\/]/, ...byEntry },
        { name: 'vendor', test: /node_modules/, ...byEntry },
        { name: 'shared', test: /[\\/]src[\\/]/, minShareCount: 2, ...byEntry },
      ],
    },
  },
} satisfies RolldownOptions;

// By itself, since it lives through the whole job: loading the shared files would take most of its memory.
const sampler = {
  ...common,
  input: { 'monitor-sampler': 'src/main/monitor-sampler.ts' },
  output,
} satisfies RolldownOptions;

export default [actions, sampler];
