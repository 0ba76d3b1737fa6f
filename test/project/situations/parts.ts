import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { storedPath } from '../../../src/agent/acknowledgement.ts';
import { collect } from '../../../src/agent/collect.ts';
import { AgentError } from '../../../src/agent/failure.ts';
import { guardAgainstFloods } from '../../../src/agent/flood-guard.ts';
import { networkFailure } from '../../../src/agent/network-failure.ts';
import { decodeStats } from '../../../src/stats/decode.ts';
import { problemsOf } from '../../inputs/given.ts';
import { failure, type Seen, type Situations, thrownBy, together } from './seen.ts';

const TRIED = 'POST https://sandbox.example.com/files';

/** What every input can be refused for, of which one run of the action shows only some. */
const WRONG: readonly Readonly<Record<string, string>>[] = [
  {
    token: '\u{1f600}',
    'sandbox-id': 'a\nb',
    'base-url': 'http://sandbox.example.com',
    port: '0',
    files: '=> x\n!a => b\na/../b\n** =>\n** => a => b\n** => C:\\app\n** => ~/x\n** => ../x\n** => a\0b',
    headers: 'X\nHost: 1\nA: 1\na: 2',
    'header-prefix': 'a b',
    'upload-path': 'x',
    'fail-if':
      'mem_usd > 3\n> 3\nmem_used => 9\nmem_used.avg > 1\nmem_used > x\nmem_used > 9 GiBs\ncpu_count > 3%\nmem_used_pct > 1MB',
    concurrency: '1000',
    timeout: '5',
    shard: '5/4',
    'follow-symlinks': 'yes',
    'if-no-files-found': 'maybe',
    'signature-expiration': 'soon',
    signature: 'a-signature',
    'files-per-request': '9',
  },
  { token: '', 'sandbox-id': '', 'base-url': '', files: '' },
  { 'base-url': 'https://a@b' },
  { 'base-url': 'https://h/?q' },
  { 'base-url': 'ftp://h' },
  { 'base-url': 'h' },
  { 'base-url': 'https://{x}.h' },
  { 'base-url': 'https://{sandbox-id}.h', 'sandbox-id': 'a.b' },
  { 'base-url': 'https://h/{sandbox-id}', 'sandbox-id': '..' },
];

const CODES = [
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'EPIPE',
  'ETIMEDOUT',
];

/** What takes hostile hosts, or much time, to meet as a whole. */
export const PARTS: Situations = {
  'inputs that are wrong': () => {
    const problems = WRONG.flatMap(problemsOf);
    return { messages: problems.map(({ message }) => message) };
  },
  'errors of the HTTP client': () =>
    together(
      CODES.map(code => failure(networkFailure(Object.assign(new Error('what happened'), { code }), TRIED))),
    ),
  'an answer that comes too early': () =>
    thrownBy(() =>
      storedPath({ tried: TRIED, status: 200, text: '', retryAfter: undefined, sentWhole: false }, 'a'),
    ),
  'stats that are a list': () => thrownBy(() => decodeStats('[]')),
  'stats that are cut off': () => thrownBy(() => decodeStats('{')),
  'an answer that never ends': () => collected(handler => handler.onResponseStarted()),
  'an answer that is announced again and again': () =>
    collected((handler, controller) => {
      for (let times = 0; times < 21; times += 1) handler.onResponseStart(controller, 103, {});
    }),
  'an answer with a megabyte of nothing': flooded,
};

type Handler = ReturnType<typeof collect>;
type Controller = Parameters<Handler['onRequestStart']>[0];

/** Why an answer is given up. */
async function collected(answer: (handler: Handler, controller: Controller) => void): Promise<Seen> {
  const { promise, resolve } = Promise.withResolvers<Error>();
  const handler = collect({ tried: TRIED, timeoutMs: 1, answered: () => {}, failed: resolve });
  const controller = { abort: resolve };
  handler.onRequestStart(controller);
  answer(handler, controller);
  return failureOf(await promise);
}

async function flooded(): Promise<Seen> {
  await using server = createServer(socket =>
    socket.on('error', () => {}).write(Buffer.alloc(4 * 1024 * 1024)),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const socket = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
  const guard = guardAgainstFloods();
  channel('undici:client:sendHeaders').publish({ socket });
  const [error]: unknown[] = await once(socket.resume(), 'error').catch((thrown: unknown) => [thrown]);
  guard.close();
  return failureOf(error);
}

function failureOf(error: unknown): Seen {
  if (error instanceof AgentError) return failure(error);
  throw error;
}
