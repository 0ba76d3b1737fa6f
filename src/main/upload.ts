import { runAction } from '../github/run-action.ts';
import { INPUTS } from '../inputs/inputs.ts';
import { renderUpload } from '../report/transfer-section.ts';
import { upload } from '../upload/upload.ts';

await runAction({
  task: 'upload',
  inputs: INPUTS.upload,
  run: async (inputs, context) => ({ upload: await upload(inputs, context) }),
  sections: (results, cancelled) => ({ upload: renderUpload(results.upload, cancelled) }),
});
