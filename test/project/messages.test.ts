import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Fault } from '../../dev/agent/faults.ts';
import { openWorld, runAction } from '../action/harness.ts';
import { onWindows } from '../system.ts';

// Messages that no other test covers.

const skip = onWindows('its limits on names are others');

interface Situation {
  readonly files: readonly string[];
  readonly inputs?: Readonly<Record<string, string>>;
  readonly faults?: readonly Fault[];
  /** Lines of the log. */
  readonly said: readonly string[];
}

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'slips in patterns': {
    files: [
      '[id].tsx',
      'a=>b',
      '{a,b}',
      'a #b',
      '"dist/**"',
      '- dist',
      'dist, x',
      'dist/* x',
      'x -> y',
      'x\\y',
      'Dist',
      'dist/x/y',
    ],
    said: [
      '"[id].tsx" matches no files to upload ([ and ] enclose a set of characters; write [[] for a [ in a name)',
      '"a=>b" matches no files to upload (write a space on each side of =>)',
      '"{a,b}" matches no files to upload (braces have no meaning in patterns; write one line for each)',
      '"\\"dist/**\\"" matches no files to upload (remove the quotes around it; a line is taken literally).',
      '"- dist" matches no files to upload (remove the dash; files is text with one pattern per line, not a list).',
      '"dist, x" matches no files to upload (a comma is part of a name; write each pattern on its own line).',
      '"dist/* x" matches no files to upload (several patterns on one line; if the workflow has them on several, write files: |',
      '"x -> y" matches no files to upload (write => instead of ->).',
      '"x\\y" matches no files to upload (write / instead of \\, which escapes the next character).',
      '"Dist" matches no files to upload (there is no "Dist", only "dist": case matters). Did the build run',
      '"dist/x/y" matches no files to upload ("dist" exists and contains a, b; there is no "x" in it). Did the build run',
      '"a #b" matches no files to upload (a comment needs its own line)',
    ],
  },
  'a target of Windows': {
    files: ['dist/a => C:\\app'],
    said: ['has the target "C:\\app". Targets are POSIX paths, such as /srv/app.'],
  },
  'a pattern that the system cannot search': {
    files: [`${'x'.repeat(300)}/**`],
    said: ['cannot be searched: ENAMETOOLONG'],
  },
  'one signature for two files': {
    files: ['dist/**'],
    inputs: { signature: 'v1_x' },
    said: ['One signature covers one target path, and 2 files would use it.'],
  },
  'an answer of nothing': {
    files: ['dist/a'],
    faults: [{ on: 'upload', do: { kind: 'answer', body: '[null]' } }],
    said: ['answered 200 with an unusable answer: its entry is no object.'],
  },
  'an answer that does not come': {
    files: ['dist/a'],
    inputs: { timeout: '200ms', retries: '0' },
    faults: [{ on: 'upload', do: { kind: 'stall', at: 'answering' } }],
    said: [
      'failed: the response did not finish within timeout',
      'raise timeout if the sandbox needs',
    ],
  },
};

describe('the action says what is the matter with', { skip }, () => {
  for (const [name, { files, inputs = {}, faults = [], said }] of Object.entries(SITUATIONS)) {
    test(name, async () => {
      await using world = await openWorld({ files: { 'dist/a': 'a', 'dist/b': 'b' }, faults });
      const { stdout } = await runAction(
        world,
        { files: files.join('\n'), ...inputs },
        { task: 'upload' },
      );
      for (const words of said) assert.ok(stdout.includes(words), stdout);
    });
  }
});
