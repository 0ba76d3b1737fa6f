import type { ExchangeOptions } from '../agent/exchange.ts';
import type { RequestWatch } from '../agent/watch.ts';
import type { Surroundings } from './surroundings.ts';

/** What a client needs of a run's surroundings. */
export function exchangeOptions({ userAgent, cancel, now, clock, observer }: Surroundings): ExchangeOptions {
  const { fact } = observer;
  const watch: RequestWatch | undefined = fact && {
    opened: connection => fact({ kind: 'connection', connection }),
    ended: request => fact({ kind: 'request', request }),
    clock,
  };
  return { userAgent, cancel, now, watch };
}
