import { mkdirSync, realpathSync } from 'node:fs';
import type { Fault } from './faults.ts';

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
  /** TCP port to listen on. Default 0: any free one. */
  readonly listenPort?: number;
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** Default `/files`. */
  readonly uploadPath?: string;
  /** Default `/metrics`. */
  readonly statsPath?: string;
  /** Names that `username` may have; the first is the default user. Default `user` and `root`. */
  readonly users?: readonly string[];
  /** PEM texts; with them the agent speaks HTTPS. */
  readonly tls?: TlsKeys;
  /** Misbehaviour from the start. Default none. */
  readonly faults?: readonly Fault[];
  /** Metrics to answer in place of the machine's own: an object, or the body's very text. */
  readonly metrics?: () => object | string;
  /**
   * Whether an upload of one file answers an array of one entry or the bare entry. Default `array`.
   */
  readonly entryShape?: 'array' | 'object';
  /**
   * Where files of a request without `path` go; with `one file`, it may bring no more. Default
   * `whole filename`.
   */
  readonly withoutPath?: 'whole filename' | 'last part of filename' | 'one file';
  /** False keeps no requests, for long runs. Default true. */
  readonly record?: boolean;
}

/** Private key and certificate as PEM texts. */
export interface TlsKeys {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
}

/** The options with defaults filled in; `root` exists and has no symlinks. */
export type Settings = Required<Omit<AgentOptions, 'tls' | 'metrics'>> &
  Pick<AgentOptions, 'tls' | 'metrics'>;

/** Fills in the defaults and makes the root directory. */
export function settingsOf(options: AgentOptions): Settings {
  mkdirSync(options.root, { recursive: true });
  return {
    sandboxPort: 49983,
    headerPrefix: 'Svc',
    listenPort: 0,
    host: '127.0.0.1',
    uploadPath: '/files',
    statsPath: '/metrics',
    users: ['user', 'root'],
    faults: [],
    entryShape: 'array',
    withoutPath: 'whole filename',
    record: true,
    ...options,
    root: realpathSync.native(options.root),
  };
}
