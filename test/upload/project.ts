import { directory, type Entries } from './tree.ts';

/** A tree to search. */
export const PROJECT: Entries = {
  'dist/index.html': '12345',
  'dist/a/b.js': 'b',
  'dist/a/c.map': 'c',
  'packages/foo/dist/x.js': 'x',
  'packages/foo/src/y.ts': 'y',
  'packages/bar/dist/z.js': 'z',
  'pages/[id].tsx': 'id',
  'pages/i.tsx': 'i',
  'my file.txt': 'spaces',
  empty: directory,
};
