/** All that a run of the bench found. */
export interface Results {
  /** The day, such as 2026-01-31. */
  readonly date: string;
  readonly machine: Machine;
  readonly rows: readonly Row[];
  readonly coldStarts: readonly ColdStart[];
  /** Peak memory of the monitor's sampler. Null if not measured. */
  readonly samplerPeakBytes: number | null;
  /** What did not run, and why. */
  readonly leftOut: readonly string[];
}

/** What one contender needed for one workload in one place. */
export interface Row {
  readonly workload: string;
  /** The workload in a few words. */
  readonly title: string;
  /** The place in words; empty for the sink on the same machine. */
  readonly place: string;
  /** Milliseconds that the line needs for the bytes. Null without a limit. */
  readonly lineMs: number | null;
  readonly contender: string;
  readonly kind: string;
  /** Files and bytes of the whole workload. */
  readonly files: number;
  readonly bytes: number;
  /** How many files were uploaded if the time was extrapolated. */
  readonly sample: number | null;
  /** Milliseconds of each round. */
  readonly roundsMs: readonly number[];
  readonly medianMs: number;
  /** Peak memory over all rounds. Null if unknown. */
  readonly peakBytes: number | null;
  /** The largest share of a round that the server was busy. Null if unknown. */
  readonly serverBusy: number | null;
  /** Of the last round. Null if unknown. */
  readonly requests: number | null;
  readonly connections: number | null;
}

/** How long an entry of the action takes with almost nothing to do. */
export interface ColdStart {
  readonly entry: string;
  readonly what: string;
  readonly roundsMs: readonly number[];
  readonly medianMs: number;
}

/** The machine and the versions. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly kernel: string;
  readonly node: string;
  readonly curl: string;
  readonly e2b: string | null;
}

/** The median; NaN for no numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const pair = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1);
  return sum(pair) / pair.length;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
