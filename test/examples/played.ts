import { cpSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Play } from '../../dev/runner/use.ts';

/** Plays the actions for artifacts, which keep files in a folder between jobs. */
export function playArtifacts(folder: string): { readonly upload: Play; readonly download: Play } {
  const placeOf = (inputs: Inputs) => path.join(folder, given(inputs, 'name'));
  return {
    upload: async (inputs, workspace) =>
      copy(path.resolve(workspace, given(inputs, 'path')), placeOf(inputs)),
    download: async (inputs, workspace) =>
      copy(placeOf(inputs), path.join(workspace, given(inputs, 'path'))),
  };
}

/** Plays actions/cache, whose keys are immutable. */
export function playCache(folder: string): { readonly restore: Play; readonly save: Play } {
  const keys: string[] = [];
  const placeOf = (key: string) => path.join(folder, encodeURIComponent(key));
  return {
    restore: async (inputs, workspace) => {
      const key = bestOf(keys, inputs);
      if (key !== undefined) copy(placeOf(key), path.join(workspace, given(inputs, 'path')));
    },
    save: async (inputs, workspace) => {
      const [key, file] = [given(inputs, 'key'), path.join(workspace, given(inputs, 'path'))];
      if (keys.includes(key) || !existsSync(file)) return;
      copy(file, placeOf(key));
      keys.push(key);
    },
  };
}

/** The subject of an attestation. */
export interface Subject {
  readonly name: string;
  readonly digest: string;
}

/** Plays actions/attest, which reads its subjects from a file of checksums. */
export function playAttest(subjects: Subject[]): Play {
  return async inputs => {
    const lines = readFileSync(given(inputs, 'subject-checksums'), 'utf8').split('\n');
    for (const line of lines.filter(text => text !== '')) {
      const [, digest = '', name = ''] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
      if (digest === '') throw new Error(`Invalid digest: ${line}`);
      subjects.push({ name, digest });
    }
  };
}

type Inputs = Readonly<Record<string, string>>;

/** The key itself, or the newest key that starts with the first matching restore key. */
function bestOf(keys: readonly string[], inputs: Inputs): string | undefined {
  const key = given(inputs, 'key');
  if (keys.includes(key)) return key;
  const prefixes = (inputs['restore-keys'] ?? '').split('\n').filter(prefix => prefix !== '');
  const found = prefixes.map(prefix => keys.findLast(each => each.startsWith(prefix)));
  return found.find(each => each !== undefined);
}

function given(inputs: Inputs, name: string): string {
  const value = inputs[name];
  if (value === undefined) throw new Error(`The input ${name} is missing`);
  return value;
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
}
