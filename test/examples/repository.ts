import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Files by path. */
export type Files = Readonly<Record<string, string | Buffer>>;

export const API_KEY = 'key-of-the-service';

/** What the build of the repository makes unless told otherwise. */
export const SITE: Files = {
  'index.html': '<!doctype html>\n',
  'assets/app.js': 'start();\n',
  'assets/app.js.map': '{}',
  'assets/logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0x0d, 0x0a]),
  'bin/serve': '#!/bin/sh\n',
};

/** The file package.json of the repository. */
export const PACKAGE = JSON.stringify({
  name: 'app',
  version: '1.0.0',
  scripts: { build: 'cp -R site dist' },
});

/** A script that creates sandboxes as the examples expect it, for those whom the service knows. */
const CREATE_SANDBOX = `
[ "$API_KEY" = ${API_KEY} ]
id=box\${1:+-$1}
echo "::add-mask::token-of-$id"
echo "id=$id" >> "$GITHUB_OUTPUT"
echo "token=token-of-$id" >> "$GITHUB_OUTPUT"`;

/** Scripts by path, none of which sees that the sandbox is on the same machine, but for SANDBOX_HOME. */
const SCRIPTS: Readonly<Record<string, string>> = {
  'create-sandbox.sh': CREATE_SANDBOX,
  'run-tests.sh': '[ "$SANDBOX_TOKEN" = "token-of-$SANDBOX_ID" ]\necho "tested $SANDBOX_ID"',
  'run-in-sandbox.sh': '[ "$SANDBOX_TOKEN" = "token-of-$SANDBOX_ID" ]\ncd "$SANDBOX_HOME"\nsh -c "$1"',
  'deploy.sh': 'echo "deployed"',
};

/** What a repository has beside, or in place of, what every one of them has. */
export interface RepositoryOptions {
  readonly site?: Files;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** Writes a small project that has all which the examples expect of a repository. */
export function writeRepository(folder: string, { site = SITE, scripts = {} }: RepositoryOptions = {}): void {
  const lock = { name: 'app', version: '1.0.0', lockfileVersion: 3, packages: { '': { name: 'app' } } };
  writeFiles(folder, { 'package.json': PACKAGE, 'package-lock.json': JSON.stringify(lock) });
  writeFiles(path.join(folder, 'site'), site);
  for (const [name, lines] of Object.entries({ ...SCRIPTS, ...scripts })) {
    writeFileSync(path.join(folder, name), `#!/usr/bin/env bash\nset -eu\n${lines}\n`, { mode: 0o755 });
  }
}

function writeFiles(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: name.startsWith('bin/') ? 0o755 : 0o644 });
  }
}
