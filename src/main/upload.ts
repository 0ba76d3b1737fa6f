import { step } from '../github/step.ts';
import { upload } from '../run/sync.ts';
import { checkFiles } from '../upload/selection.ts';

await step('upload', upload, { check: checkFiles });
