import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type Result, runChecks, type Trial } from './conform/check.ts';
import { type Client, type Connection, openClient } from './conform/client.ts';
import { DOWNLOAD_CHECKS, UPLOAD_CHECKS } from './conform/file-checks.ts';
import { download, sendFiles } from './conform/files.ts';
import { RUN_CHECKS, start } from './conform/run-checks.ts';
import { STATS_CHECKS } from './conform/stats-checks.ts';

// Checks a service against everything that the actions rely on. Exits with 0 if uploads work, with
// 1 if they do not, with 2 for bad arguments.

const USAGE = `Usage: npm run conform -- --base-url URL --token TOKEN [--sandbox-id ID]
         [--header-prefix PREFIX] [--header 'NAME: VALUE']... [--username USER]
         [--upload-path PATH] [--stats-path PATH] [--json]
See docs/services.md.`;

const FEATURES = {
  upload: UPLOAD_CHECKS,
  stats: STATS_CHECKS,
  download: DOWNLOAD_CHECKS,
  run: RUN_CHECKS,
};

try {
  process.exitCode = await tryService(readOptions()).catch((error: unknown) => {
    console.error(`The service cannot be tried: ${String(error)}`);
    return 1;
  });
} catch (error) {
  console.error(`${String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}

/** Runs all checks and prints the results. Returns the exit code. */
async function tryService({ connections, isJson }: Options): Promise<number> {
  const id = `conform-${randomUUID().slice(0, 8)}`;
  const target = `/tmp/${id}/first`;
  const client = await firstThatStores(connections.map(openClient), target);
  const canDownload = (await download(client, target)).status === 200;
  const trial = { ...client, id, canDownload };
  const results: Result[] = [];
  for (const [feature, checks] of Object.entries(FEATURES))
    results.push(...(await runChecks(feature, checks, trial)));
  const advice = adviceOf(results, client.connection);
  const left = (await removeFolders(trial)) ? [] : [`/tmp/${id}`, `~/${id}`];
  if (isJson) console.log(JSON.stringify({ checks: results, ...advice, left }, null, 2));
  else console.log(`${results.map(lineOf).join('\n')}\n\n${summary(advice, left)}`);
  return advice.works.includes('upload') ? 0 : 1;
}

/** Returns the first client that can store a file, or the first one if none can. */
async function firstThatStores(clients: readonly Client[], target: string): Promise<Client> {
  const [first] = clients;
  if (first === undefined) throw new Error('no connection');
  for (const client of clients) {
    const { status } = await sendFiles(client, [{ target, content: Buffer.from('first') }]);
    if (status === 200 || status === 201) return client;
  }
  return first;
}

/** Deletes the folders that the checks filled. Returns false if that failed. */
async function removeFolders(trial: Trial): Promise<boolean> {
  const script = `rm -rf /tmp/${trial.id} ${trial.id} && echo removed`;
  const { stdout } = await start(trial, script).catch(() => ({ stdout: '' }));
  return stdout === 'removed\n';
}

type Advice = ReturnType<typeof adviceOf>;

/** Lists the features that work, and the inputs that need values other than their defaults. */
function adviceOf(results: readonly Result[], connection: Connection) {
  const failed = results.filter(({ verdict }) => verdict === 'no');
  const broken = failed.filter(({ isRequired }) => isRequired).map(({ feature }) => feature);
  const { headerPrefix, username, uploadPath, statsPath, headers } = connection;
  const failsAt = (part: string) => failed.some(({ name }) => name.includes(part));
  // By default, the action only sends batches with the prefix E2b.
  const isBatching = /^E2b$/i.test(headerPrefix);
  return {
    works: Object.keys(FEATURES).filter(feature => !broken.includes(feature)),
    fails: Object.keys(FEATURES).filter(feature => broken.includes(feature)),
    inputs: {
      ...(headerPrefix !== 'Svc' && { 'header-prefix': headerPrefix }),
      ...(Object.keys(headers).length > 0 && { headers: Object.keys(headers).join(', ') }),
      ...(username !== undefined && { username }),
      ...(uploadPath !== '/files' && { 'upload-path': uploadPath }),
      ...(statsPath !== '/metrics' && { 'stats-path': statsPath }),
      ...(isBatching === failsAt('batch') && { 'files-per-request': isBatching ? '1' : '250' }),
      ...(failsAt('at once') && { concurrency: '2' }),
    },
  };
}

function lineOf({ feature, name, verdict, seen }: Result): string {
  return `${feature.padEnd(8)}  ${verdict.padEnd(7)}  ${name}: ${seen}`;
}

function summary({ works, fails, inputs }: Advice, left: readonly string[]): string {
  if (works.length === 0)
    return 'Nothing works. Check --base-url, --token, --sandbox-id and --header-prefix.';
  const lines = Object.entries(inputs).map(([name, value]) => `  ${name}: ${value}`);
  return [
    `Works: ${works.join(', ') || 'nothing'}. Does not work: ${fails.join(', ') || 'nothing'}.`,
    lines.length === 0 ? 'Inputs to set: none.' : 'Inputs to set:',
    ...lines,
    `Left in the sandbox: ${left.join(' and ') || 'nothing'}.`,
  ].join('\n');
}

type Options = ReturnType<typeof readOptions>;

function readOptions() {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      'base-url': { ...text, default: '' },
      token: { ...text, default: '' },
      'sandbox-id': { ...text, default: 'local' },
      'header-prefix': text,
      header: { ...text, multiple: true, default: [] },
      username: text,
      'upload-path': { ...text, default: '/files' },
      'stats-path': { ...text, default: '/metrics' },
      json: { type: 'boolean', default: false },
    },
  });
  if (!/^https?:\/\/\S/.test(values['base-url'])) throw new Error('--base-url must be a URL');
  if (values.token === '') throw new Error('--token is missing');
  if (!values.header.every(line => /^[\w-]+:/.test(line)))
    throw new Error("--header must be 'Name: value'");
  const given = {
    baseUrl: values['base-url'],
    token: values.token,
    sandboxId: values['sandbox-id'],
    uploadPath: values['upload-path'],
    statsPath: values['stats-path'],
    headers: Object.fromEntries(values.header.map(line => line.split(/:\s*(.*)/s))),
  };
  // Options that are not given are tried with several values, the action's defaults first.
  const prefixes = values['header-prefix'] ? [values['header-prefix']] : ['Svc', 'E2b'];
  const usernames = values.username ? [values.username] : [undefined, 'user'];
  const connections = prefixes.flatMap(headerPrefix =>
    usernames.map(username => ({ ...given, headerPrefix, username })),
  );
  return { connections, isJson: values.json };
}
