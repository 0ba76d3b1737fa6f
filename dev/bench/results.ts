/** All that a run of the bench found. */
export interface Results {
  /** The day, such as 2026-01-31. */
  readonly date: string;
  readonly machine: Machine;
  readonly rows: readonly Row[];
  readonly coldStarts: readonly ColdStart[];
  /** The most memory that the monitor's sampling process held. Null where it was not measured. */
  readonly samplerPeakBytes: number | null;
  /** What did not run, and why. */
  readonly leftOut: readonly string[];
}

/** What one contender did with one workload in one place. */
export interface Row {
  readonly workload: string;
  /** The workload in a few words. */
  readonly title: string;
  /** The place in a few words; empty for the sink without anything in between. */
  readonly place: string;
  /** How long the line takes for the bytes, in milliseconds. Null where it has no limit. */
  readonly lineMs: number | null;
  readonly contender: string;
  readonly kind: string;
  /** Files and bytes of the whole workload. */
  readonly files: number;
  readonly bytes: number;
  /** How many of the files were uploaded, where the time of all is computed from some. */
  readonly sample: number | null;
  /** What each round took, in milliseconds. */
  readonly roundsMs: readonly number[];
  readonly medianMs: number;
  /** The most memory that the process held in any round. Null where it is not known. */
  readonly peakBytes: number | null;
  /** The largest share of a round that the server was busy for. Null where it is not known. */
  readonly serverBusy: number | null;
  /** Requests and connections of the last round. Null where they are not known. */
  readonly requests: number | null;
  readonly connections: number | null;
}

/** How long an entry of the action takes to do next to nothing. */
export interface ColdStart {
  readonly entry: string;
  readonly what: string;
  readonly roundsMs: readonly number[];
  readonly medianMs: number;
}

/** What the bench ran on and with. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly kernel: string;
  readonly node: string;
  readonly curl: string;
  readonly e2b: string | null;
}

/** The middle of some numbers, or the mean of the two in the middle; NaN of none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const pair = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1);
  return sum(pair) / pair.length;
}

/** Numbers added up. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
