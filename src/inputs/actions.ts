/** By action: the folder of its action.yml, and its files in src/main, the main script first. */
export const ACTIONS = {
  sync: { folder: '.', scripts: ['sync'] },
  upload: { folder: 'upload', scripts: ['upload'] },
  download: { folder: 'download', scripts: ['download'] },
  stats: { folder: 'stats', scripts: ['stats'] },
  run: { folder: 'run', scripts: ['run'] },
  monitor: { folder: 'monitor', scripts: ['monitor', 'monitor-sampler', 'monitor-post'] },
  'monitor-stop': { folder: 'monitor/stop', scripts: ['monitor-stop'] },
  sandbox: { folder: 'sandbox', scripts: ['sandbox', 'sandbox-post'] },
} as const;

export type ActionName = keyof typeof ACTIONS;
