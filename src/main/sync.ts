import { runAction } from '../github/run-action.ts';
import { INPUTS } from '../inputs/inputs.ts';
import { renderStats } from '../report/stats-section.ts';
import { renderUpload } from '../report/transfer-section.ts';
import { sync } from '../sync/sync.ts';

await runAction({
  task: 'sync',
  inputs: INPUTS.sync,
  run: sync,
  sections: ({ upload, stats }, cancelled) => ({
    upload: renderUpload(upload, cancelled),
    stats: renderStats(stats, cancelled),
  }),
});
