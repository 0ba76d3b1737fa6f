import assert from 'node:assert/strict';
import type { CreatedSandbox } from '../../dev/agent/control-plane.ts';
import { filesBelow } from '../system.ts';
import type { Files } from './repository.ts';
import { homeOf, type Service } from './sandbox.ts';
import type { Run } from './stage.ts';

/** Asserts that the run succeeded and said so. */
export function assertSucceeded({ succeeded, log }: Run, said = /^/): void {
  assert.ok(succeeded, log);
  assert.match(log, said);
}

/**
 * Asserts that `app` in the only sandbox holds these files, and that there are no others except
 * those named.
 */
export function assertArrived(
  { plane }: Service,
  files: Files,
  others: readonly string[] = [],
): void {
  assert.equal(plane.created.length, 1);
  for (const sandbox of plane.created) assertHolds(sandbox, files, others);
}

/** The same for a given sandbox. */
export function assertHolds(
  sandbox: CreatedSandbox,
  files: Files,
  others: readonly string[] = [],
): void {
  const found = Object.entries(filesBelow(homeOf(sandbox))).filter(
    ([name]) => !others.includes(name),
  );
  const sent = Object.entries(files).map(([name, content]) => [
    `app/${name}`,
    Buffer.from(content),
  ]);
  assert.deepEqual(Object.fromEntries(found), Object.fromEntries(sent));
}

/** Asserts that the service was reached by these hosts only, through the proxy. */
export function assertReached({ proxy }: Service, ...hosts: string[]): void {
  const reached = new Set(proxy.requests.map(request => request.host));
  assert.deepEqual([...reached].sort(), hosts.map(host => `${host}:443`).sort());
}

/** Asserts the requests to the API. */
export function assertAsked({ plane }: Service, ...requests: string[]): void {
  const ids = new RegExp(plane.created.map(({ id }) => id).join('|') || '(?!)', 'g');
  assert.deepEqual(
    plane.requests.map(request => request.replaceAll(ids, 'ID')),
    requests,
  );
}

/** The requests for a sandbox that is created and deleted. */
export const WHOLE_LIFE = ['POST /sandboxes 201', 'DELETE /sandboxes/ID 204'] as const;
