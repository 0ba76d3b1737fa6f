import { posix } from 'node:path';
import { Readable } from 'node:stream';
import type { Trial } from './check.ts';
import { type Answer, type Client, fieldOf } from './client.ts';

export interface File {
  readonly target: string;
  readonly content: Buffer;
}

export interface Extra {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Splits the body into the pieces to send. If it throws, the connection is closed. */
  readonly split?: (body: Buffer) => AsyncIterable<Buffer>;
}

/** Describes a file in the trial's folder below /tmp. By default, its content is its name. */
export function fileOf({ id }: Trial, name: string, content: string | Buffer = name): File {
  return { target: `/tmp/${id}/${name}`, content: Buffer.from(content) };
}

/** Sends files as the action does: for a single file, the query also names its target. */
export async function sendFiles(
  { connection, send }: Client,
  files: readonly File[],
  { query, headers, split }: Extra = {},
): Promise<Answer> {
  const path = files.length === 1 ? files[0]?.target : undefined;
  const form = new FormData();
  for (const { target, content } of files) form.append('file', new Blob([content]), target);
  const encoded = new Response(form);
  const body = Buffer.from(await encoded.arrayBuffer());
  return await send({
    method: 'POST',
    path: pathOf(connection.uploadPath, { path, username: connection.username, ...query }),
    headers: {
      'Content-Type': encoded.headers.get('Content-Type') ?? '',
      'Content-Length': `${body.length}`,
      ...headers,
    },
    body: split ? Readable.from(split(body)) : body,
  });
}

export function download({ connection, send }: Client, path: string): Promise<Answer> {
  const { uploadPath, username } = connection;
  return send({ method: 'GET', path: pathOf(uploadPath, { path, username }) });
}

function pathOf(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/**
 * Uploads files and, if the service allows downloads, reads them back. Returns what it saw.
 * @throws Error if the answer does not list the files, or other content is read back
 */
export async function store(trial: Trial, files: readonly File[], extra?: Extra): Promise<string> {
  const answer = await sendFiles(trial, files, extra);
  const seen = `${answer.status} ${answer.text}`;
  if (answer.status !== 200 && answer.status !== 201) throw new Error(seen);
  const json: unknown = JSON.parse(answer.body.toString());
  // E2B's agent answers with an array. Others may answer with the object of a single file.
  const entries: readonly unknown[] = Array.isArray(json) ? json : [json];
  if (entries.length !== files.length) throw new Error(`${entries.length} entries: ${seen}`);
  for (const [index, { target, content }] of files.entries()) {
    if (!isEntryOf(target, entries[index])) throw new Error(`not the entry of ${target}: ${seen}`);
    if (!trial.canDownload) continue;
    const { status, body } = await download(trial, target);
    if (status !== 200 || !body.equals(content))
      throw new Error(`stored ${content.length} bytes, read back ${status} ${body.length}`);
  }
  return `${trial.canDownload ? 'read back' : 'not read back'}, ${seen}`;
}

function isEntryOf(target: string, entry: unknown): boolean {
  const [path, name, type] = ['path', 'name', 'type'].map(field => fieldOf(entry, field));
  if (type !== 'file' || name !== posix.basename(target) || typeof path !== 'string') return false;
  return path === target || (!target.startsWith('/') && path.endsWith(`/${target}`));
}
