import path from 'node:path';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  type CreatedSandbox,
  startControlPlane,
} from '../../dev/agent/control-plane.ts';
import type { Keys } from '../../dev/agent/keys.ts';
import { openProxy } from '../action/proxy.ts';
import { API_KEY } from './repository.ts';

/** An HTTPS service of sandboxes, and a proxy that leads every host to it. */
export interface Service extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly proxy: Awaited<ReturnType<typeof openProxy>>;
}

export interface ServiceOptions extends Partial<ControlPlaneOptions> {
  readonly keys: Keys;
  readonly folder: string;
}

const METRICS = {
  cpu_count: 4,
  cpu_used_pct: 5,
  mem_total: 2 ** 33,
  mem_used: 2 ** 31,
  disk_total: 2 ** 34,
  disk_used: 2 ** 33,
};

/** Metrics of a calm sandbox, with these changes. */
export function metricsWith(more: Partial<typeof METRICS>): typeof METRICS {
  return { ...METRICS, ...more };
}

/** Starts a service. */
export async function openService({ keys, agents, ...options }: ServiceOptions): Promise<Service> {
  const calm = { metrics: () => METRICS, ...agents };
  const plane = await startControlPlane({ apiKey: API_KEY, tls: keys, ...options, agents: calm });
  const proxy = await openProxy({ tunnelTo: plane.url });
  return {
    plane,
    proxy,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await plane[Symbol.asyncDispose]();
    },
  };
}

/** The home directory of a sandbox's user on this machine. */
export function homeOf({ root }: CreatedSandbox): string {
  return path.join(root, 'home/user');
}

/** How many uploads were answered, refusals included. */
export function uploadsTo({ plane }: Service): number {
  return plane.created
    .flatMap(({ agent }) => agent.requests)
    .filter(({ method }) => method === 'POST').length;
}
