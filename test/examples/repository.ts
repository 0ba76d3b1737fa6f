import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Files by path. */
export type Files = Readonly<Record<string, string | Buffer>>;

export const API_KEY = 'key-of-the-service';

/** What the repository's build produces by default. */
export const SITE: Files = {
  'index.html': '<!doctype html>\n',
  'assets/app.js': 'start();\n',
  'assets/app.js.map': '{}',
  'assets/logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0x0d, 0x0a]),
  'bin/serve': '#!/bin/sh\n',
};

/** How a repository differs from the usual one. */
export interface RepositoryOptions {
  readonly site?: Files;
  /** The command of `npm test` in the sandbox. */
  readonly test?: string;
}

/** The repository's package.json. */
export function packageJson({ test = 'echo tested $SUITE' }: RepositoryOptions = {}): string {
  return JSON.stringify({
    name: 'app',
    version: '1.0.0',
    scripts: { build: 'cp -R site dist', test },
  });
}

/** Writes a small project with everything that the examples expect. */
export function writeRepository(folder: string, options: RepositoryOptions = {}): void {
  const lock = {
    name: 'app',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: { '': { name: 'app' } },
  };
  writeFiles(folder, {
    'package.json': packageJson(options),
    'package-lock.json': JSON.stringify(lock),
  });
  writeFiles(path.join(folder, 'site'), options.site ?? SITE);
}

/**
 * Plays E2B's command line tool: runs a command in the home directory of a sandbox below
 * $SANDBOXES. Workflows find it as npx.
 */
const NPX = `#!/usr/bin/env bash
set -eu
[ "$1 $2 $3 $4" = '--yes @e2b/cli@2 sandbox exec' ] && [ "$E2B_API_KEY" = ${API_KEY} ]
shift 4
if [ "$1" = --env ]; then export "\${2?}"; shift 2; fi
root="$SANDBOXES/$1"
cd "$root/home/user"
# The root of a sandbox is a folder here, so sha256sum finds its absolute paths below it.
if [[ "$2" =~ ^sha256sum\\ -c\\ --quiet\\ (/.*)$ ]]; then
  sed "s#  /#  $root/#" "$root\${BASH_REMATCH[1]}" | sha256sum -c --quiet
  exit
fi
exec bash -c "$2"
`;

/** Writes the tools that come first on a machine's PATH. */
export function writeTools(folder: string): void {
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'npx'), NPX, { mode: 0o755 });
}

function writeFiles(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: name.startsWith('bin/') ? 0o755 : 0o644 });
  }
}
