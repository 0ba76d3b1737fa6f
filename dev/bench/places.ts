/** Where the contenders upload to, and by which way. */
export interface Place {
  /** The sink, which throws away what it gets, or the local agent, which writes it to a disk. */
  readonly server: 'sink' | 'agent';
  readonly tls: boolean;
  /**
   * What a round trip takes, in milliseconds. A connection takes one before it carries anything.
   */
  readonly latencyMs: number;
  /** How much the line takes on its way to the server, in 10^6 bits a second; null for no limit. */
  readonly megabits: number | null;
}

/** The sink, without anything in between. */
export const NEAR: Place = { server: 'sink', tls: false, latencyMs: 0, megabits: null };

/** A place in a few words; empty for the sink without anything in between. */
export function placeText({ server, tls, latencyMs, megabits }: Place): string {
  const words = [
    server === 'agent' ? 'local agent' : '',
    tls ? 'TLS' : '',
    latencyMs === 0 ? '' : `${latencyMs} ms latency`,
    megabits === null ? '' : `${megabits} Mbit/s`,
  ];
  return words.filter(word => word !== '').join(', ');
}

/** How much a line carries in a millisecond; without a limit, no end of it. */
export function bytesPerMs({ megabits }: Place): number {
  return megabits === null ? Number.POSITIVE_INFINITY : (megabits * 1000) / 8;
}

/** How long a line takes for so many bytes, in milliseconds; null where it has no limit. */
export function lineMs(place: Place, bytes: number): number | null {
  return place.megabits === null ? null : bytes / bytesPerMs(place);
}
