import type { Command } from '../process.ts';

/** What a contender is to upload. */
export interface Job {
  /** The folder with the files. */
  readonly folder: string;
  /** Their paths below it, which are their targets too. */
  readonly files: readonly string[];
  /** Where the server listens. */
  readonly url: string;
  /** The file with the certificate of its CA; undefined where there is no TLS. */
  readonly caFile: string | undefined;
  /** A folder for what the contender needs beside, removed later. */
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

/** What uploads the files of a job in a process. */
export interface Contender {
  /** As the tables name it. */
  readonly name: string;
  readonly kind: Kind;
  /** Makes what it needs, and gives the command that uploads. */
  readonly prepare: (job: Job) => Promise<Command>;
  /** How many of the files it uploads at most; the time of all is computed from theirs. */
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

/** The connection inputs of the action, to the same end. */
export function connectionInputs(url: string): Record<string, string> {
  return {
    'sandbox-id': HEADERS['E2b-Sandbox-Id'],
    token: HEADERS['X-Access-Token'],
    'base-url': url,
    'header-prefix': 'E2b',
  };
}
