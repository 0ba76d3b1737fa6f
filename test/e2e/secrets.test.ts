import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { hasEnded, monitorFile, saveFile } from '../../src/monitor/record.ts';
import {
  endFrame,
  LAST_FRAME,
  outputFrame,
  sendFrames,
  startFrame,
} from '../support/process-frames.ts';
import type { Result } from '../support/result.ts';
import { expectFailure, expectSuccess, type Inputs, runAction } from '../support/run-action.ts';
import { pollUntil, samplerPid } from '../support/running-monitor.ts';
import {
  answer,
  expectScriptedFailure,
  fileEntry,
  fileEntryJson,
  openScriptedJob,
  type ReceivedRequest,
  type Responder,
  type Responders,
  sendBytes,
} from '../support/scripted-agent.ts';
import { filesBelow } from '../support/system.ts';
import { METRICS, openJob } from '../support/test-job.ts';

// Every encoding changes these secrets, except for DIGITS. Percent-decoding TOKEN throws an error.
const TOKEN = '7"&</+%z';
const DIGITS = '948271650382';
const LONG = Array.from(
  { length: 50 },
  (_, index) => `${hash('md5', String(index)).slice(0, 6)}"&</`,
).join('');
const PASSWORD = 'p@ss+word/7';

/** The secrets that the service receives. Only the proxy sees PASSWORD. */
const SENT = [TOKEN, DIGITS, LONG];
const ALL_SENT = SENT.join(' ');
const CUT = `${'x'.repeat(280)}${LONG}`;

type Write = (value: unknown) => string;

const WRITERS: Readonly<Record<string, Write>> = {
  JavaScript: value => JSON.stringify(value),
  // Escapes letters, too, and what Go escapes: &, < and >.
  'a careful agent': value =>
    JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"/g, literal =>
      literal.replace(/(?<!\\)[\w&<>+%/]/g, character => {
        const code = character.charCodeAt(0).toString(16).padStart(4, '0');
        return `\\u${code}`;
      }),
    ),
};

/** Escapes HTML as the summary does. */
function toHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** All 8-character substrings of the secrets, in every encoding in which they could leak. */
const PIECES = new Set(
  [...SENT, PASSWORD].flatMap(secret =>
    Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8)).flatMap(
      piece => {
        const written = Object.values(WRITERS).map(write => write(piece).slice(1, -1));
        const forms = [piece, encodeURIComponent(piece), ...written];
        return [...forms, ...forms.map(toHtml)];
      },
    ),
  ),
);

function assertNoSecret(text: string): void {
  for (const piece of PIECES) {
    const at = text.indexOf(piece);
    const context = JSON.stringify(text.slice(Math.max(at - 200, 0), at + 200));
    assert.equal(at, -1, `${piece} is in ${context}`);
  }
}

/** Asserts that the token is masked, and that no other output contains a secret. */
function assertRedacted({ allOutput, masked }: Pick<Result, 'allOutput' | 'masked'>): void {
  assert.ok(masked.includes(TOKEN));
  assertNoSecret(allOutput);
}

/** Asserts that the token occurs in one header, and nowhere else in a request. */
function assertSentOnce({ line, headers, body }: ReceivedRequest): void {
  const carrying = headers.filter(each => each.endsWith(`: ${TOKEN}`));
  assert.match(carrying.join(), /^x-(access-token|api-key): [^,]*$/i);
  const rest = [line, ...headers.filter(each => !carrying.includes(each)), body.toString()];
  for (const form of [TOKEN, encodeURIComponent(TOKEN)])
    for (const part of rest) assert.ok(!part.includes(form), part.slice(0, 300));
}

/** Echoes all secrets and the headers of the request. */
const echo = ({ headers }: ReceivedRequest) => [ALL_SENT, ...headers].join(' ');

/** Repeats the secrets as keys and strings at every level. */
const REPEATING = {
  ...Object.fromEntries(SENT.map(secret => [secret, { [secret]: [secret, 1] }])),
  metadata: ALL_SENT,
};

/** Answers with stats whose metrics are named like secrets, written by each writer in turn. */
function repeatingStats(): Responder {
  // The summary shortens CUT within its secret, so CUT must be redacted before.
  const figures = Object.fromEntries([...SENT, CUT].map(name => [name, 1]));
  const writers = Object.values(WRITERS);
  let count = 0;
  return answer(200, () => {
    const write = writers[count++ % writers.length] ?? JSON.stringify;
    return write({ ...METRICS, ...figures, nested: REPEATING });
  });
}

/** Acknowledges files in a folder that is named after all secrets. */
const acknowledging = (write: Write) =>
  answer(200, ({ target }) => {
    const entry = fileEntry(target, { path: `/${SENT.join('_')}_/${target}` });
    return write({ ...REPEATING, ...entry });
  });

/** Error responses that echo the secrets, escaped as each kind of server does it. */
const ERRORS: Readonly<Record<string, Responder>> = {
  ...Object.fromEntries(
    Object.entries(WRITERS).flatMap(([writer, write]) => [
      [`message of ${writer}`, answer(400, write({ message: ALL_SENT }))],
      [`shape of ${writer}`, answer(400, write({ detail: [REPEATING] }))],
      [`cut by ${writer}`, answer(400, write({ message: CUT }))],
    ]),
  ),
  'a log': answer(400, `rpc error: ${JSON.stringify({ sent: ALL_SENT })}`),
  'another name': answer(200, request => fileEntryJson(echo(request))),
  'no JSON': answer(200, echo),
  'a status line': sendBytes(`HTTP/1.1 404 ${TOKEN}\r\nContent-Length: 0\r\n\r\n`),
  'no HTTP': (socket, request) => void socket.end(echo(request)),
  'a 404': answer(404, request => JSON.stringify({ message: echo(request) })),
};

const INPUTS = {
  token: TOKEN,
  signature: DIGITS,
  headers: `X-Api-Key: ${LONG}`,
  retries: '0',
  checksums: 'true',
  'state-file': '.state.json',
  concurrency: '1',
};

const env = {
  RUNNER_DEBUG: '1',
  HTTPS_PROXY: `http://me:${encodeURIComponent(PASSWORD)}@127.0.0.1:1`,
};

/** Uploads a file per responder, and asserts that no secret is shown, stored or sent in excess. */
async function uploadEach(
  responders: Required<Pick<Responders, 'uploads' | 'stats'>>,
  inputs: Inputs,
) {
  const names = Object.keys(responders.uploads);
  await using job = await openScriptedJob(
    responders,
    Object.fromEntries(names.map(name => [name, 'x'])),
  );
  const result = await runAction(job, { ...INPUTS, ...inputs }, { env });
  assertRedacted(result);
  const { '.state.json': state = '', ...others } = filesBelow(job.workspace);
  assert.equal(Object.keys(others).length, names.length);
  assertNoSecret(String(state));
  job.agent.requests.forEach(assertSentOnce);
  assert.ok(job.agent.requests.length >= names.length);
  return { exitCode: result.exitCode, hasState: state.length > 0 };
}

test('secrets are redacted if acknowledgements and stats repeat them', async () => {
  const uploads = Object.fromEntries(
    Object.entries(WRITERS).map(([name, write]) => [name, acknowledging(write)]),
  );
  const inputs = { 'warn-if': 'gpu_used > 1', samples: '3', 'sample-interval': '200ms' };
  const end = await uploadEach({ uploads, stats: repeatingStats() }, inputs);
  assert.deepEqual(end, { exitCode: 0, hasState: true });
});

test('secrets are redacted if errors and file names repeat them', async () => {
  const uploads = { ...ERRORS, [DIGITS]: answer(400, ALL_SENT) };
  const stats = answer(500, request => JSON.stringify({ message: echo(request) }));
  assert.deepEqual(await uploadEach({ uploads, stats }, {}), { exitCode: 1, hasState: false });
});

test('secrets are redacted if the creation of a sandbox fails and repeats them', async () => {
  const body = JSON.stringify({ message: ALL_SENT });
  await using job = await openScriptedJob({ upload: answer(500, body) });
  const headers = `X-Other-Token: ${LONG}\nAuthorization: ${DIGITS}`;
  const connecting = { 'api-url': job.agent.url, 'api-key': TOKEN, headers };
  const inputs = { ...connecting, template: 'base', retries: '0' };
  const result = await expectFailure(job, inputs, { task: 'sandbox', env });
  assert.match(result.errors, /It said: "\*\*\* \*\*\* \*\*\*"/);
  // The post step needs the headers, but has the key as an input of its own.
  const state = result.state['sandbox'] ?? '';
  assert.ok(!state.includes(TOKEN), state);
  const { masked } = result;
  assertRedacted({ masked, allOutput: result.allOutput.replace(state, '') });
  job.agent.requests.forEach(assertSentOnce);
});

test('secrets are in no file, argument or variable of a monitor, and redacted by its post step', async () => {
  await using job = await openScriptedJob({ stats: repeatingStats() });
  const headers = `${INPUTS.headers}\nX-Other-Token: ${DIGITS}`;
  const inputs = { token: TOKEN, headers, 'sample-interval': '1h' };
  const main = await expectSuccess(job, inputs, { task: 'monitor', env });
  assertRedacted(main);
  const directory = path.join(job.temp, main.outputs['monitor'] ?? '');
  const pid = samplerPid(main);
  for (const name of process.platform === 'linux' ? ['cmdline', 'environ'] : []) {
    const text = readFileSync(`/proc/${pid}/${name}`, 'utf8');
    for (const secret of SENT) assert.ok(!text.includes(secret), text);
  }
  saveFile(directory, 'stop');
  await pollUntil(() => hasEnded(directory));
  const record = monitorFile(directory, 'record');
  const response = monitorFile(directory, 'response');
  assert.equal(readFileSync(record, 'utf8').match(/"figures":/g)?.length, 2);
  for (const file of [record, response]) assertNoSecret(readFileSync(file, 'utf8'));
  const post = await expectSuccess(job, inputs, { task: 'monitor', post: main, env });
  assertNoSecret(post.allOutput);
});

test('a secret in the script, the name or the output of a run is redacted, however it is cut or split', async () => {
  const cuts = Array.from(TOKEN, (_, at) => [TOKEN.slice(0, at), TOKEN.slice(at)]);
  const frames = cuts.flatMap(([start, end]) => [
    outputFrame(`a${start}`),
    outputFrame(`${end}b\n`, 'stderr'),
  ]);
  const bytes = Array.from(`${LONG}\n`, byte => outputFrame(byte));
  const colored = outputFrame(`${TOKEN.slice(0, 4)}\u001b[31m${TOKEN.slice(4)}\u001b[0m\n`);
  const all = [startFrame(42), ...frames, ...bytes, colored, endFrame(1), LAST_FRAME];
  // Both are cut within the secret.
  const text = `${'x'.repeat(50)}${LONG}`;
  const inputs = { token: TOKEN, headers: INPUTS.headers, run: `${text}\nexit`, name: text };
  const Start = sendFrames(...all);
  const result = await expectScriptedFailure({ processes: { Start }, inputs });
  assertRedacted(result);
  assert.equal(result.lines.filter(line => line === 'a***b').length, cuts.length);
  const { name, command } = result.report;
  for (const field of [name, command.title]) assert.match(field, /\*\*\*/);
  // The last lines have no colors, so only there the token would be whole again.
  assert.deepEqual(command.lastLines.slice(-2), ['***', '***']);
});

test('secrets in invalid inputs are not repeated', async () => {
  await using job = await openJob();
  const names = ['concurrency', 'timeout', 'dry-run', 'fail-if', 'upload-path', 'port', 'shard'];
  const misplaced = Object.fromEntries(names.map(name => [name, TOKEN]));
  const given = {
    'base-url': `http://user:${encodeURIComponent(TOKEN)}@127.0.0.1:1/`,
    headers: `${TOKEN}: x\n${TOKEN}`,
    'wait-until': `cpu_used_pct > ${TOKEN}`,
  };
  const result = await expectFailure(job, { ...INPUTS, ...misplaced, ...given }, { env });
  assertNoSecret(result.allOutput);
  assert.equal(job.agent.connections(), 0);
});
