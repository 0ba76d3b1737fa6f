import './small-heap.ts';
import { step } from '../github/step.ts';
import { parseUpload } from '../inputs/tasks.ts';
import { upload } from '../run/upload.ts';
import { userAgent } from './user-agent.ts';

await step({ task: 'upload', userAgent, parse: parseUpload, run: upload });
