import { randomBytes } from 'node:crypto';
import type { ClientRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Check, type Checks, differs, no, rejection, yes } from './check.ts';
import { download, type Extra, fileOf, sendFiles, store } from './store.ts';

const KIB = 1024;

// As many files as the action puts into one request, and as many requests as it sends at once.
const BATCH = 250;
const PARALLEL = 24;

// Long enough for a service to notice that a connection is gone.
const PAUSE_MS = 1000;

/** Stores files with these names in one request. */
function stores(...names: readonly string[]): Check {
  return async trial => {
    const files = names.map(name => fileOf(trial, name));
    return yes(await store(trial, files));
  };
}

/** Stores files one after the other, given by their names or by their sizes in bytes. */
function storesEach(...files: readonly (string | number)[]): Check {
  return async trial => {
    for (const each of files) {
      const content = typeof each === 'number' ? randomBytes(each) : each;
      await store(trial, [fileOf(trial, `each/${each}`, content)]);
    }
    return yes(trial.canDownload ? 'read back' : 'not read back');
  };
}

/** Sends a file that must not be stored. */
function rejects(name: string, statuses: readonly number[], words?: RegExp, extra?: Extra): Check {
  return async trial =>
    rejection(await sendFiles(trial.service, [fileOf(trial, name)], extra), statuses, words);
}

/** Sends half of a body and returns the other half once the socket has taken the first. */
async function sendHalf(request: ClientRequest, body: Buffer): Promise<Buffer> {
  const middle = body.length >> 1;
  await new Promise(resolve => request.write(body.subarray(0, middle), resolve));
  return body.subarray(middle);
}

export const UPLOAD_CHECKS: Checks = {
  required: {
    'one file': stores('one'),
    async overwrite(trial) {
      await store(trial, [fileOf(trial, 'again', 'a longer first content')]);
      return yes(await store(trial, [fileOf(trial, 'again', 'shorter')]));
    },
    'missing parents': stores('new/folders/deep/file'),
    'relative path': async trial =>
      yes(await store(trial, [{ target: `${trial.id}/file`, content: Buffer.from('x') }])),
    '0 and 1 bytes': storesEach(0, 1),
    '64 KiB, 256 KiB and 1 MiB ± 1': storesEach(
      ...[64, 256, 1024].flatMap(size => [size * KIB - 1, size * KIB, size * KIB + 1]),
    ),
    '64 MiB': storesEach(64 * KIB * KIB),
    async 'pause within a body'(trial) {
      const sendBody = async (request: ClientRequest, body: Buffer) => {
        const rest = await sendHalf(request, body);
        await sleep(PAUSE_MS);
        request.end(rest);
      };
      return yes(await store(trial, [fileOf(trial, 'slow', randomBytes(100_000))], { sendBody }));
    },
  },
  others: {
    'odd names': storesEach('a b  c', 'it\'s "x"', 'ä文🙂', '50%,%41', 'a+b', '-rf'),
    [`batch of ${BATCH} files`]: stores(
      ...Array.from({ length: BATCH }, (_, index) => `batch/${index % 7}/${index}`),
    ),
    'odd names in a batch': stores('batch/a b  c', "batch/it's", 'batch/ä', 'batch/a+b'),
    async [`${PARALLEL} at once`](trial) {
      const names = Array.from({ length: PARALLEL }, (_, index) => `parallel/${index}/file`);
      await Promise.all(names.map(name => store(trial, [fileOf(trial, name)])));
      return yes('all stored');
    },
    async 'connections are kept alive'(trial) {
      const send = () => sendFiles(trial.service, [fileOf(trial, 'alive')]);
      const reused = [await send(), await send(), await send()].filter(({ isReused }) => isReused);
      return reused.length > 1 ? yes('reused') : differs('a new connection for each request');
    },
    async 'known user'(trial) {
      const query = { username: trial.service.connection.username ?? 'user' };
      return yes(await store(trial, [fileOf(trial, 'owned')], { query }));
    },
    async 'signature beside the token'(trial) {
      const query = { signature: 'v1_abc', signature_expiration: '4102444800' };
      return yes(await store(trial, [fileOf(trial, 'signed')], { query }));
    },
    'wrong token is rejected': rejects('forbidden', [401, 403], /./, {
      headers: { 'X-Access-Token': 'wrong' },
    }),
    async 'wrong sandbox ID is rejected'(trial) {
      const headers = { [`${trial.service.connection.headerPrefix}-Sandbox-Id`]: 'wrong' };
      const answer = await sendFiles(trial.service, [fileOf(trial, 'elsewhere')], { headers });
      if (answer.status < 400) return differs(`${answer.status}: the header is ignored`);
      return rejection(answer, [400, 403, 404, 502]);
    },
    'unknown user is rejected': rejects('unowned', [400, 401], /user/i, {
      query: { username: 'no-such-user' },
    }),
    // The first checks have stored these.
    'target that is a folder': rejects('new/folders', [400, 500], /is a directory/i),
    'target below a file': rejects('one/below', [400, 500], /is a file|not a directory/i),
    'route that does not exist': async ({ service }) =>
      rejection(await service.send({ method: 'GET', path: '/no-such-route' }), [404]),
    async 'upload that breaks off'(trial) {
      const before = fileOf(trial, 'cut', 'what was there before');
      await store(trial, [before]);
      const after = fileOf(trial, 'cut', randomBytes(100_000));
      const sendBody = async (request: ClientRequest, body: Buffer) => {
        await sendHalf(request, body);
        request.destroy();
      };
      await sendFiles(trial.service, [after], { sendBody }).catch(() => undefined);
      await sleep(PAUSE_MS);
      const { status, body } = await download(trial.service, after.target);
      await store(trial, [after]);
      if (!trial.canDownload) return differs('cannot be read back; a second upload succeeds');
      if (body.equals(before.content)) return yes('the target is left as it was');
      const isPart = status === 200 && after.content.subarray(0, body.length).equals(body);
      const seen = `${status}, ${body.length} bytes are in the target`;
      return isPart ? differs(`${seen} until a second upload`) : no(seen);
    },
  },
};
