import { openClient } from '../agent/client.ts';
import { sleep } from '../agent/retry.ts';
import { metricsOf } from '../gate/judge.ts';
import { parseInputs } from '../inputs/inputs.ts';
import { openRecorder } from '../monitor/recorder.ts';
import { recordSamples, watchForEnd } from '../monitor/sampler.ts';
import { receiveHandover } from '../monitor/start.ts';
import { readStats } from '../stats/stats.ts';

const [, , directory = ''] = process.argv;
const { inputs: raw, jobPid } = await receiveHandover();
const inputs = parseInputs('monitor', raw);
const { stop, cancel, close } = watchForEnd(directory, jobPid, inputs.maxDuration);
const client = openClient(inputs, { cancel, now: Date.now });
const judged = metricsOf(inputs.failIf, inputs.warnIf);
const read = () => readStats(client, inputs.statsPath, judged);
await recordSamples(read, openRecorder(directory), inputs.sampleInterval, {
  sleep,
  stop,
  now: Date.now,
});
close();
await client.close();
