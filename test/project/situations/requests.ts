import type { FaultAction } from '../../../local-agent/faults.ts';
import { manyFiles, openFaulty, openWorld } from '../../action/harness.ts';
import { run, type Situations } from './seen.ts';

const NONE = { retries: '0' };
const STALL = { retries: '0', timeout: '400ms' };

/** What happens to one file and lets the others go on, by the name of the file. */
const ALONE: Readonly<Record<string, FaultAction>> = {
  ...Object.fromEntries(
    [302, 400, 404, 408, 409, 413, 422, 425, 429, 500, 502, 503, 504].map(status => [
      `status-${status}`,
      { kind: 'status', status },
    ]),
  ),
  stall: { kind: 'stall', at: 'answering' },
  reset: { kind: 'reset', at: 'before-body' },
  truncate: { kind: 'truncate' },
  'no-json': { kind: 'answer', body: '<html>' },
  'no-entry': { kind: 'answer', body: '[]' },
  'another-entry': { kind: 'answer', body: '[{"type":"file","name":"x","path":"/x"}]' },
  long: { kind: 'answer', body: 'x'.repeat(200 * 1024) },
};

const upload = async (action: FaultAction, inputs = NONE) => {
  await using world = await openFaulty(action);
  return await run(world, inputs);
};

const stats = async (action: FaultAction, inputs: Readonly<Record<string, string>> = NONE) => {
  await using world = await openWorld({ faults: [{ on: 'stats', do: action }] });
  return await run(world, inputs, { task: 'stats' });
};

const connecting = async (inputs: Readonly<Record<string, string>>, env = {}) => {
  await using world = await openWorld();
  return await run(world, { ...NONE, ...inputs }, { env });
};

/** Requests that fail, as the built action shows them. */
export const REQUESTS: Situations = {
  'a wrong token': () => connecting({ token: 'not-the-right-one' }),
  'an unknown sandbox': () => connecting({ 'sandbox-id': 'gone' }),
  'a token without rights': () => upload({ kind: 'status', status: 403 }),
  'a full disk': () => upload({ kind: 'status', status: 507, body: '{"message":"no space left on device"}' }),
  'a host that is not there': () => connecting({ 'base-url': 'http://127.0.0.1:9' }),
  'a host without a name': () => connecting({ 'base-url': 'https://nowhere.invalid' }),
  'a proxy that is none': () =>
    connecting({ 'base-url': 'https://sandbox.example.com' }, { HTTPS_PROXY: 'socks5://proxy:1080' }),
  'a port without TLS': async () => {
    await using world = await openWorld();
    return await run(world, { ...NONE, 'base-url': world.agent.url.replace('http:', 'https:') });
  },
  'failures of one file each': async () => {
    const names = Object.keys(ALONE);
    const faults = Object.entries(ALONE).map(
      ([path, action]) => ({ on: 'upload', path, do: action }) as const,
    );
    await using world = await openWorld({
      files: Object.fromEntries(names.map(name => [name, 'x'])),
      faults,
    });
    return await run(world, { ...STALL, concurrency: '20' });
  },
  'very many failed attempts': async () => {
    const fault = { on: 'upload', times: 30, do: { kind: 'status', status: 500 } } as const;
    await using world = await openWorld({ files: manyFiles(30), faults: [fault] });
    return await run(world, { concurrency: '30', retries: '10' });
  },
  'an agent that takes one file at a time': async () => {
    await using world = await openWorld({ files: manyFiles(5), withoutPath: 'one file' });
    return await run(world, { 'files-per-request': '5', concurrency: '1' });
  },
  'a cancelled job': async () => {
    await using world = await openFaulty({ kind: 'stall', at: 'answering' });
    return await run(world, {}, { onRequest: (_, action) => void action.kill('SIGINT') });
  },
  'stats that do not come': () => stats({ kind: 'stall', at: 'answering' }, STALL),
  'stats that are too long': () => stats({ kind: 'answer', body: 'x'.repeat(70 * 1024) }),
  'stats by another protocol': () =>
    stats({ kind: 'status', status: 101, headers: { Connection: 'Upgrade', Upgrade: 'x' } }),
  'stats with a field of another kind': () => stats({ kind: 'answer', body: '{"mem_used":"much"}' }),
  'no stats after the upload': async () => {
    await using world = await openWorld({ faults: [{ on: 'stats', do: { kind: 'status', status: 500 } }] });
    return await run(world, NONE);
  },
};
