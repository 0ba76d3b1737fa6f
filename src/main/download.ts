import { download } from '../download/download.ts';
import { runAction } from '../github/run-action.ts';
import { INPUTS } from '../inputs/inputs.ts';
import { renderDownload } from '../report/transfer-section.ts';

await runAction({
  task: 'download',
  inputs: INPUTS.download,
  run: async (inputs, context) => ({ download: await download(inputs, context) }),
  sections: (results, cancelled) => ({ download: renderDownload(results.download, cancelled) }),
});
