/** What a sink has received since it was set up. */
export interface Counts {
  readonly connections: number;
  readonly requests: number;
  readonly files: number;
  /** Bytes of the files, without what is round them. */
  readonly bytes: number;
  /** Milliseconds of processor time that it took. */
  readonly cpuMs: number;
}

/** Sets a sink up for what comes next. */
export interface Setup {
  /** How long each answer is held back, in milliseconds. */
  readonly latencyMs: number;
}

export function isCounts(message: unknown): message is Counts {
  return hasNumbers(message, ['connections', 'requests', 'files', 'bytes', 'cpuMs']);
}

export function isSetup(message: unknown): message is Setup {
  return hasNumbers(message, ['latencyMs']);
}

/** Whether it is the address that a sink listens on. */
export function isAddress(message: unknown): message is { readonly port: number } {
  return hasNumbers(message, ['port']);
}

function hasNumbers(message: unknown, names: readonly string[]): boolean {
  if (typeof message !== 'object' || message === null) return false;
  const fields: Readonly<Record<string, unknown>> = { ...message };
  return names.every(name => typeof fields[name] === 'number');
}
