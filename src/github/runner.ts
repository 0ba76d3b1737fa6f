import { tmpdir } from 'node:os';
import path from 'node:path';
import { getInput, setSecret } from '@actions/core';
import { secretsIn } from '../inputs/connection.ts';
import { type EntryPoint, inputNames } from '../inputs/inputs.ts';
import type { RawInputs } from '../inputs/parsers.ts';

/** Reads the step's inputs, masking secrets before anything can be logged. */
export function readInputs(entry: EntryPoint): RawInputs {
  const names = inputNames(entry);
  const raw = Object.fromEntries(
    names.map(name => [name, getInput(name, { trimWhitespace: false })]),
  );
  for (const secret of secretsIn(raw)) setSecret(secret);
  return raw;
}

export function workspace(): string {
  return process.env['GITHUB_WORKSPACE'] || process.cwd();
}

// A cancelled step gets SIGINT, then SIGTERM (SIGBREAK on Windows).
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK'] as const;

// The runner sends SIGTERM 7.5 s after SIGINT, and kills 2.5 s later (ProcessInvoker.cs in
// actions/runner). It gives a background step up after 7.5 s, and reads no state after that.
const GRACE_MS = { SIGINT: 6500, SIGTERM: 2000, SIGBREAK: 2000 } as const;

export function cancelSignals() {
  const cancel = new AbortController();
  const killImminent = new AbortController();
  for (const signal of SIGNALS)
    process.on(signal, () => {
      cancel.abort('the job was cancelled');
      setTimeout(() => killImminent.abort(), GRACE_MS[signal]).unref();
    });
  return { cancel: cancel.signal, killImminent: killImminent.signal };
}

export function tempDirectory(): string {
  return path.resolve(process.env['RUNNER_TEMP'] || tmpdir());
}
