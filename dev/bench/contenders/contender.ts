import type { Command } from '../process.ts';

/** What a contender uploads. */
export interface Job {
  /** The folder with the files. */
  readonly folder: string;
  /** Their paths below the folder, which are also their targets. */
  readonly files: readonly string[];
  /** Where the server listens. */
  readonly url: string;
  /** File of the CA certificate; undefined without TLS. */
  readonly caFile: string | undefined;
  /** A folder for the contender's own files, removed later. */
  readonly temp: string;
}

/** What a contender is, whichever way it is used. */
export type Kind =
  | 'action'
  | 'curl -Z'
  | 'curl -Z h2'
  | 'curl loop'
  | 'e2b one'
  | 'e2b stream'
  | 'e2b list';

/** Uploads the files of a job in a process. */
export interface Contender {
  /** Its name in the tables. */
  readonly name: string;
  readonly kind: Kind;
  /** Prepares the upload and returns its command. */
  readonly prepare: (job: Job) => Promise<Command>;
  /** The most files it uploads; the time of all is extrapolated. */
  readonly sample?: number;
}

/** How many connections each contender may use. */
export const CONNECTIONS = 24;

/** What every request carries. */
export const HEADERS = {
  'X-Access-Token': 'bench-token',
  'E2b-Sandbox-Id': 'bench',
  'E2b-Sandbox-Port': '49983',
} as const;

/** The same connection as inputs of the action. */
export function connectionInputs(url: string): Record<string, string> {
  return {
    'sandbox-id': HEADERS['E2b-Sandbox-Id'],
    token: HEADERS['X-Access-Token'],
    'base-url': url,
    'header-prefix': 'E2b',
  };
}
