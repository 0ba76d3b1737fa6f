import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { sleep } from '../../../src/agent/sleep.ts';
import { parseMonitor } from '../../../src/inputs/tasks.ts';
import { openRecorder, type Recorder } from '../../../src/monitor/record.ts';
import { uploadOutputs } from '../../../src/report/outputs.ts';
import { endMonitor } from '../../../src/run/monitor.ts';
import { decodeStats } from '../../../src/stats/decode.ts';
import { attempt } from '../../../src/upload/attempt.ts';
import { openLevel } from '../../../src/upload/level.ts';
import { manyFiles, openWorld, type WorldOptions } from '../../action/harness.ts';
import { REQUIRED } from '../../inputs/given.ts';
import { report, uploaded } from '../../report/reports.ts';
import { file } from '../../upload/transferring.ts';
import { plant } from '../../upload/tree.ts';
import { run, type Seen, type Situations } from './seen.ts';

const step = async (inputs: Readonly<Record<string, string>>, world: WorldOptions = {}, env = {}) => {
  await using opened = await openWorld(world);
  return await run(opened, inputs, { env });
};

const STEP = path.resolve(import.meta.dirname, '../../../src/github/step.ts');

/** How steps end, and what their reports and monitors have to say. */
export const OUTCOMES: Situations = {
  'a gate that trips': () =>
    step({ 'fail-if': 'mem_used_pct > 1\nmem_cache > 1', 'warn-if': 'cpu_used_pct > 1' }),
  'a gate that trips over one condition': () => step({ 'fail-if': 'mem_used_pct > 1' }),
  'a wait that ends': () =>
    step({ 'wait-until': 'mem_used_pct > 90', 'wait-timeout': '300ms', 'sample-interval': '200ms' }),
  'a wait for a sandbox that is not there': () =>
    step({
      'wait-until': 'mem_used_pct > 90',
      'wait-timeout': '1ms',
      files: 'none',
      'if-no-files-found': 'ignore',
    }),
  'several wrong inputs': () => step({ port: '0', retries: '-1' }),
  'no file to upload': () => step({ files: 'nothing/**', 'if-no-files-found': 'ignore' }),
  'an empty share': () => step({ shard: '2/2' }),
  'a signature for two files': () =>
    step({ signature: 'a-signature', 'dry-run': 'true' }, { files: manyFiles(2) }),
  'a runner without its places': () =>
    step({}, {}, { RUNNER_TEMP: '', GITHUB_STEP_SUMMARY: '', GITHUB_OUTPUT: '' }),
  'failures of many kinds': () => {
    const faults = Array.from({ length: 10 }, (_, index) => {
      const fault = { kind: 'status', status: 400, body: `"${index}"` } as const;
      return { on: 'upload', path: `f${index}.txt`, do: fault } as const;
    });
    return step({}, { files: manyFiles(10), faults });
  },
  'files after one that ends the transfer': () => {
    const gone = { kind: 'status', status: 401 } as const;
    return step({ concurrency: '1' }, { files: manyFiles(3), faults: [{ on: 'upload', do: gone }] });
  },
  'a list that is too long': () => {
    const files = Array.from({ length: 5000 }, (_, index) => uploaded(`file ${index}`));
    return { messages: uploadOutputs(report({ files })).notices };
  },
  'a bug': () => {
    const script = `import { step } from ${JSON.stringify(STEP)}; const parse = () => { throw new Error('oh'); }; await step({ task: 'stats', userAgent: '', parse, run: parse });`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      env: {},
    });
    return { messages: [/^::error::(Sandbox Sync itself.*?)%0A/m.exec(stdout)?.[1] ?? stdout] };
  },
  'files that changed before they were sent together': async () => {
    const unused = () => Promise.reject(new Error('not asked for'));
    const uploadTogether = () => Promise.resolve(['not-sent', 'not-sent'] as const);
    const { again } = await attempt(
      [0, 1].map(index => ({ index, attempts: 0, file: file(`f${index}`) })),
      new AbortController().signal,
      {
        client: { upload: unused, uploadTogether, stats: unused, close: () => Promise.resolve() },
        level: openLevel(1, () => 0),
        retry: { retries: 0, sleep, random: () => 0 },
        onEvent: () => {},
        clock: () => 0,
      },
    );
    const failures = again.flatMap(({ failed }) =>
      failed?.status === 'failed' ? [failed.error.message] : [],
    );
    return { messages: failures };
  },
  'a monitor without an answer': () => monitored(recorder => recorder.gap({ at: 1, what: 'no answer' })),
  'a monitor whose time was up': () =>
    monitored(recorder => {
      recorder.sample(1, decodeStats('{"mem_used":1}'));
      recorder.gap({ at: 2, what: 'no answer' });
      recorder.end({ at: 3, what: 'its longest duration was over' });
    }),
};

/** What is said of a monitor's record. */
async function monitored(record: (recorder: Recorder) => void): Promise<Seen> {
  using place = plant({});
  record(openRecorder(place.root));
  const task = parseMonitor(REQUIRED);
  const { errors, warnings } = await endMonitor(task, place.root, {
    cancel: AbortSignal.abort(),
    sleep,
    clock: () => 0,
    observer: { planned() {}, waiting() {}, event() {} },
  });
  return { messages: [...errors.map(({ message }) => message), ...warnings] };
}
