import type { OpenedConnection } from '../agent/connections.ts';
import type { EndedRequest } from '../agent/watch.ts';
import type { MonitorRecord } from '../monitor/record.ts';
import type { Stats } from '../stats/decode.ts';
import type { Matches } from '../upload/discover.ts';
import type { LevelChange } from '../upload/level.ts';
import type { TransferEvent } from '../upload/result.ts';
import type { Selection } from '../upload/selection.ts';

/** What a reader needs to find out why a run went as it did, and nobody else. */
export type Fact =
  | { readonly kind: 'search'; readonly matches: readonly Matches[]; readonly durationMs: number }
  | { readonly kind: 'plan'; readonly selection: Selection }
  /** `read` counts the entries of the state file, those of other shards included. */
  | { readonly kind: 'state'; readonly path: string; readonly read: number; readonly unchanged: number }
  | { readonly kind: 'connection'; readonly connection: OpenedConnection }
  | { readonly kind: 'request'; readonly request: EndedRequest }
  | { readonly kind: 'level'; readonly change: LevelChange }
  | { readonly kind: 'reading'; readonly stats: Stats }
  | { readonly kind: 'record'; readonly record: MonitorRecord }
  | Extract<TransferEvent, { kind: 'shared' }>;
