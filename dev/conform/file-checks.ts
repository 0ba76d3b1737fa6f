import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Check, type Checks, Differs, expectThat, rejection } from './check.ts';
import { download, type Extra, fileOf, sendFiles, store } from './files.ts';

const KIB = 1024;

// By default, the action sends up to 250 files per request to E2B, and up to 24 requests at once.
const BATCH = 250;
const PARALLEL = 24;

// Long enough for a service to notice a lost connection.
const PAUSE_MS = 1000;

/** Checks that files with these names can be stored in one request. */
function stores(...names: readonly string[]): Check {
  return async trial => {
    const files = names.map(name => fileOf(trial, name));
    return await store(trial, files);
  };
}

/** Checks that files can be stored one by one. A number stands for a file of that many bytes. */
function storesEach(...files: readonly (string | number)[]): Check {
  return async trial => {
    for (const each of files) {
      const content = typeof each === 'number' ? randomBytes(each) : each;
      await store(trial, [fileOf(trial, `each/${each}`, content)]);
    }
    return trial.canDownload ? 'read back' : 'not read back';
  };
}

function rejects(name: string, statuses: readonly number[], words?: RegExp, extra?: Extra): Check {
  return async trial =>
    rejection(await sendFiles(trial, [fileOf(trial, name)], extra), statuses, words);
}

async function* pauseInTheMiddle(body: Buffer) {
  yield body.subarray(0, body.length >> 1);
  await sleep(PAUSE_MS);
  yield body.subarray(body.length >> 1);
}

async function* breakOff(body: Buffer) {
  yield body.subarray(0, body.length >> 1);
  await sleep(PAUSE_MS);
  throw new Error('the upload breaks off');
}

export const UPLOAD_CHECKS: Checks = {
  required: {
    'one file': stores('one'),
    async overwrite(trial) {
      await store(trial, [fileOf(trial, 'again', 'a longer first content')]);
      return await store(trial, [fileOf(trial, 'again', 'shorter')]);
    },
    'missing parents': stores('new/folders/deep/file'),
    'relative path': trial =>
      store(trial, [{ target: `${trial.id}/file`, content: Buffer.from('x') }]),
    'sizes from 0 bytes to 64 MiB': storesEach(
      0,
      1,
      ...[64, 256, 1024].flatMap(size => [size * KIB - 1, size * KIB, size * KIB + 1]),
      64 * KIB * KIB,
    ),
    'pause within a body': trial =>
      store(trial, [fileOf(trial, 'slow', randomBytes(100_000))], { split: pauseInTheMiddle }),
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
      return 'all stored';
    },
    'known user': trial => {
      const query = { username: trial.connection.username ?? 'user' };
      return store(trial, [fileOf(trial, 'owned')], { query });
    },
    'signature beside the token': trial => {
      const query = { signature: 'v1_abc', signature_expiration: '4102444800' };
      return store(trial, [fileOf(trial, 'signed')], { query });
    },
    'wrong token is rejected': rejects('forbidden', [401, 403], /./, {
      headers: { 'X-Access-Token': 'wrong' },
    }),
    async 'wrong sandbox ID is rejected'(trial) {
      const headers = { [`${trial.connection.headerPrefix}-Sandbox-Id`]: 'wrong' };
      const answer = await sendFiles(trial, [fileOf(trial, 'elsewhere')], { headers });
      if (answer.status < 400) throw new Differs(`${answer.status}: the header is ignored`);
      return rejection(answer, [400, 403, 404, 502]);
    },
    'unknown user is rejected': rejects('unowned', [400, 401], /user/i, {
      query: { username: 'no-such-user' },
    }),
    // The required checks stored `new/folders/deep/file` and `one`.
    'target that is a folder': rejects('new/folders', [400, 500], /is a directory/i),
    'target below a file': rejects('one/below', [400, 500], /is a file|not a directory/i),
    'route that does not exist': async trial =>
      rejection(await trial.send({ method: 'GET', path: '/no-such-route' }), [404]),
    async 'second upload after one that broke off'(trial) {
      const file = fileOf(trial, 'cut', randomBytes(100_000));
      await sendFiles(trial, [file], { split: breakOff }).catch(() => undefined);
      await sleep(PAUSE_MS);
      return await store(trial, [file]);
    },
  },
};

function downloads(name: string, size: number): Check {
  return async trial => {
    const file = fileOf(trial, name, randomBytes(size));
    await sendFiles(trial, [file]);
    const { status, body, headers } = await download(trial, file.target);
    const length = String(headers['content-length'] ?? 'missing');
    const seen = `${status}, ${body.length} of ${size} bytes, Content-Length: ${length}`;
    // Without Content-Length, a truncated answer would pass as complete.
    return expectThat(status === 200 && body.equals(file.content) && length === `${size}`, seen);
  };
}

export const DOWNLOAD_CHECKS: Checks = {
  required: {
    'large file': downloads('a b+c%41,ä🙂', 1_000_003),
    'empty file': downloads('empty', 0),
  },
  others: {
    'missing file': async trial =>
      rejection(await download(trial, `/tmp/${trial.id}/never-stored`), [404], /does not exist/),
    folder: async trial =>
      rejection(await download(trial, `/tmp/${trial.id}`), [400], /is a directory/),
  },
};
