import packageJson from '../../package.json' with { type: 'json' };
import { step } from '../github/step.ts';
import { parseSyncInputs, syncInputNames } from '../inputs/sync.ts';
import { sync } from '../run/sync.ts';

const userAgent = `sandbox-sync/${packageJson.version}`;

await step(syncInputNames, (raw, surroundings) => sync(parseSyncInputs(raw), { ...surroundings, userAgent }));
