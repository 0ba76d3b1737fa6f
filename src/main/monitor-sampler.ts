import { openClient } from '../agent/client.ts';
import { sleep } from '../agent/retry.ts';
import { metricsOf } from '../gate/judge.ts';
import { parseInputs } from '../inputs/table.ts';
import { openRecorder } from '../monitor/record.ts';
import { sampleOn, watchForEnd } from '../monitor/sampler.ts';
import { receiveHandover } from '../monitor/start.ts';
import { decodeStats } from '../stats/decode.ts';

const [, , directory = ''] = process.argv;
const { inputs: raw, jobPid } = await receiveHandover();
const inputs = parseInputs('monitor', raw);
const { stop, cancel, close } = watchForEnd(directory, jobPid, inputs.maxDuration);
const client = openClient(inputs, { connections: 1, cancel, now: Date.now });
const judged = metricsOf(inputs.failIf, inputs.warnIf);
const read = async () => decodeStats(await client.stats(), judged);
await sampleOn(read, openRecorder(directory), inputs.sampleInterval, { sleep, stop, now: Date.now });
close();
await client.close();
