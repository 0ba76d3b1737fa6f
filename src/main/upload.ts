import { step } from '../github/step.ts';
import { upload } from '../run/sync.ts';

await step('upload', upload);
