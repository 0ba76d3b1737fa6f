interface Action {
  /** The folder of action.yml, relative to the repository. */
  readonly folder: string;
  /** Files in src/main that are built to dist; the first is the main script of action.yml. */
  readonly scripts: readonly [string, ...string[]];
}

export const ACTIONS = {
  sync: { folder: '.', scripts: ['sync'] },
  upload: { folder: 'upload', scripts: ['upload'] },
  download: { folder: 'download', scripts: ['download'] },
  stats: { folder: 'stats', scripts: ['stats'] },
  run: { folder: 'run', scripts: ['run'] },
  monitor: { folder: 'monitor', scripts: ['monitor', 'monitor-sampler', 'monitor-post'] },
  'monitor-stop': { folder: 'monitor/stop', scripts: ['monitor-stop'] },
  sandbox: { folder: 'sandbox', scripts: ['sandbox', 'sandbox-post'] },
} as const satisfies Readonly<Record<string, Action>>;

export type ActionName = keyof typeof ACTIONS;
