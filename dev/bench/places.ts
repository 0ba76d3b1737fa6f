/** Where contenders upload to, and over which line. */
export interface Place {
  /** The sink discards what it gets; the local agent writes it to disk. */
  readonly server: 'sink' | 'agent';
  readonly tls: boolean;
  /** Milliseconds per round trip. Connecting takes one, too. */
  readonly latencyMs: number;
  /** Rate of the line to the server in 10^6 bits per second; null for no limit. */
  readonly megabits: number | null;
}

/** The sink on the same machine. */
export const NEAR: Place = { server: 'sink', tls: false, latencyMs: 0, megabits: null };

/** A place in words; empty for the sink on the same machine. */
export function placeText({ server, tls, latencyMs, megabits }: Place): string {
  const words = [
    server === 'agent' ? 'local agent' : '',
    tls ? 'TLS' : '',
    latencyMs === 0 ? '' : `${latencyMs} ms latency`,
    megabits === null ? '' : `${megabits} Mbit/s`,
  ];
  return words.filter(word => word !== '').join(', ');
}

/** Bytes per millisecond; infinite without a limit. */
export function bytesPerMs({ megabits }: Place): number {
  return megabits === null ? Number.POSITIVE_INFINITY : (megabits * 1000) / 8;
}

/** Milliseconds that the line needs for so many bytes; null without a limit. */
export function lineMs(place: Place, bytes: number): number | null {
  return place.megabits === null ? null : bytes / bytesPerMs(place);
}
