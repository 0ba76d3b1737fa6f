import { openAsBlob, readdirSync } from 'node:fs';
import path from 'node:path';

// Uploads the current folder with the package e2b, as its documentation shows.

const [, , sandboxUrl, sandboxId, envdAccessToken] = process.argv;
// Not imported by its name, so that the types can be checked without the package.
const name: string = 'e2b';
const { Sandbox } = await import(name);
// From 0.6.2 on, the package sends a form; the token is included.
const sandbox = new Sandbox({ sandboxId, sandboxUrl, envdVersion: '0.6.2', envdAccessToken });
const entries = readdirSync('.', { recursive: true, withFileTypes: true });
const files = entries
  .filter(entry => entry.isFile())
  .map(each => path.join(each.parentPath, each.name));
const list = files.map(async file => ({ path: file, data: await openAsBlob(file) }));
await sandbox.files.write(await Promise.all(list));
