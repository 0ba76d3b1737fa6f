import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Answer } from './answer.ts';

/** How to start an agent. Only the first three have no default. */
export interface AgentOptions {
  /** Directory that stands for the sandbox's `/`; created if missing. */
  readonly root: string;
  /** The access token that requests must carry. */
  readonly token: string;
  readonly sandboxId: string;
  /** The port that the routing header must name. Default 49983. Nothing listens there. */
  readonly sandboxPort?: number;
  /** The vendor's part of the routing headers' names. Default `Svc`. */
  readonly headerPrefix?: string;
  /** Where to listen on 127.0.0.1. Default 0: any free port. */
  readonly listenPort?: number;
  /** Default `/files`. */
  readonly uploadPath?: string;
  /** Default `/metrics`. */
  readonly statsPath?: string;
  /** Answers each valid upload and request for stats. Default: as it is performed. */
  readonly intercept?: (exchange: Exchange) => Promise<void>;
  /** Metrics instead of the machine's own: an object, or the body itself. */
  readonly metrics?: () => object | string;
  /**
   * Serves envd's process service, whose commands run as the user of this process and can reach
   * everything that it can. Default false.
   */
  readonly runCommands?: boolean;
  /** Called when the headers of a request arrive, before the agent acts on it. */
  readonly onRequest?: (request: IncomingMessage) => void;
}

/** A valid upload or request for stats. */
export interface Exchange {
  readonly isUpload: boolean;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Does what is asked, with another body if one is given. Returns the answer. */
  readonly perform: (body?: Readable) => Promise<Answer>;
  readonly send: (answer: Answer) => void;
}

/** The options that the agent reads, with their defaults filled in. */
export type Settings = AgentOptions & typeof DEFAULTS;

const DEFAULTS = {
  sandboxPort: 49983,
  headerPrefix: 'Svc',
  uploadPath: '/files',
  statsPath: '/metrics',
};

export function settingsOf(options: AgentOptions): Settings {
  return { ...DEFAULTS, ...options };
}
