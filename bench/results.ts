/** What one contender did with one workload at one latency. */
export interface Row {
  readonly workload: string;
  /** The workload in a few words. */
  readonly title: string;
  readonly latencyMs: number;
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
  /** The largest share of a round that the sink was busy for. */
  readonly sinkBusy: number;
  /** Requests and connections of the last round. */
  readonly requests: number;
  readonly connections: number;
}

/** How long an entry of the action takes to do next to nothing. */
export interface ColdStart {
  readonly entry: string;
  readonly what: string;
  readonly roundsMs: readonly number[];
  readonly medianMs: number;
  /** Bytes of the files in dist that it loads. */
  readonly loadedBytes: number;
  /** The packages whose code is in them. */
  readonly packages: readonly string[];
}

/** What the sink takes from senders that do nothing else. */
export interface SinkLimit {
  readonly requestsPerSecond: number;
  readonly bytesPerSecond: number;
}

/** What was asked of the action, and what came of it. */
export interface Target {
  readonly what: string;
  /** The most that the value may be. */
  readonly limit: number;
  readonly unit: 'ratio' | 'bytes' | 'count';
  /** Null where it was not measured. */
  readonly value: number | null;
  readonly reached: boolean | null;
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly kernel: string;
  readonly node: string;
  readonly curl: string;
  readonly e2b: string | null;
}

/** All that a run of the bench found. */
export interface Results {
  /** The day, such as 2026-01-31. */
  readonly date: string;
  readonly machine: Machine;
  readonly sink: SinkLimit;
  readonly rows: readonly Row[];
  readonly coldStarts: readonly ColdStart[];
  readonly targets: readonly Target[];
  /** What did not run, and why. */
  readonly leftOut: readonly string[];
}
