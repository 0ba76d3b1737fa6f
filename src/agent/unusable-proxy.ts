import { AgentError } from './failure.ts';
import type { Http } from './http.ts';
import { nameOf } from './network-failure.ts';

/** A client whose every request fails, since the environment variable names no proxy: none may go another way. */
export function unusableProxy(origin: string, variable: string): Http {
  const why = `the environment variable ${variable} holds no URL of an http or https proxy (http://host:port)`;
  return {
    async send(request) {
      throw new AgentError('unreachable', `${nameOf(request, origin)} was not sent: ${why}.`);
    },
    close: () => Promise.resolve(),
  };
}
