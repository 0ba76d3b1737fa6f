import assert from 'node:assert/strict';
import fc from 'fast-check';
import { testChaos } from '../support/chaos.ts';
import { statusFault } from '../support/faults.ts';
import { type ApiFault, jobMetadataIn, openJobWithApi } from '../support/job-with-api.ts';
import { type ConnectionFault, openRelay } from '../support/relay.ts';
import type { Result } from '../support/result.ts';
import { SKIP_WITHOUT_SIGNALS } from '../support/system.ts';

const page = (status: number, acts = false) =>
  statusFault(status, `<title>${status}</title>`, { acts });

/** Faulty responses. Some follow after the API has acted, as if a proxy had given up waiting. */
const API_FAULTS: readonly ApiFault[] = [
  401,
  429,
  500,
  503,
  ...[200, 404, 502].map(status => page(status)),
  statusFault(500, '{"error_code":"sandbox_create_failed"}'),
  ...[408, 500, 502, 503, 504].map(status => page(status, true)),
  { kind: 'reset', at: 'after-body' },
  statusFault(201, '{"sandboxID":"i1', { acts: true }),
];

const CONNECTION_FAULT: fc.Arbitrary<ConnectionFault> = fc.oneof(
  fc.constant('refuse' as const),
  fc.record({
    direction: fc.constantFrom('to-server', 'to-client'),
    afterBytes: fc.integer({ min: 1, max: 900 }),
    by: fc.constantFrom('reset', 'hang', 'noise'),
  }),
);

const rarely = <T, N>(normal: N, fault: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(normal) }, { weight: 1, arbitrary: fault });

const CHAOS = fc.record({
  retries: fc.nat(2).map(String),
  apiFaults: fc.array(rarely(0, fc.constantFrom(...API_FAULTS)), { maxLength: 4 }),
  connectionFaults: fc.array(rarely(undefined, CONNECTION_FAULT), { maxLength: 4 }),
  cancel: fc.option(
    fc.record({
      step: fc.constantFrom('main', 'post'),
      signal: fc.constantFrom('SIGINT', 'SIGTERM'),
      /** Sends the signal at the connection or chunk with this number, or at an earlier fault. */
      atActivity: fc.integer({ min: 1, max: 12 }),
    }),
    { nil: undefined },
  ),
});

type Chaos = typeof CHAOS extends fc.Arbitrary<infer T> ? T : never;

testChaos({
  name: 'every sandbox that an unreliable API creates is deleted or named in a warning',
  seeds: [5, 14, 15],
  chaos: CHAOS,
  run: runJob,
  skip: SKIP_WITHOUT_SIGNALS,
});

/** Runs the main and post steps, and asserts that a warning names each sandbox left running. */
async function runJob({ retries, apiFaults, connectionFaults, cancel }: Chaos): Promise<string> {
  await using job = await openJobWithApi({ faults: apiFaults });
  const { service } = job;
  const signals = signalsAt(cancel);
  await using relay = await openRelay(service.url, { faults: connectionFaults, ...signals });
  // A request may take longer than the 2 s that the action has after SIGTERM.
  const inputs = { 'api-url': `http://${relay.host}`, retries, timeout: '3s' };
  const run = (step: 'main' | 'post', state?: Result) =>
    job.runSandbox(inputs, { ...(state && { post: state }), onStart: signals.onStart(step) });
  const main = await run('main');
  const post = await run('post', main);
  assert.ok(main.exitCode === 0 || main.exitCode === 1, main.stdout);
  assert.equal(post.exitCode, 0, post.stdout);
  const running = service.running();
  const own = JSON.parse(main.state['sandbox'] ?? '{}').id;
  const { 'sandbox-sync-id': syncId } = jobMetadataIn(service.bodies[0]);
  for (const id of running) {
    const name = id === own ? id : `sandbox-sync-id=${syncId}`;
    assert.ok(post.warnings.includes(name), `${id}: ${main.stdout}${post.stdout}`);
    assert.match(post.warnings, /It ends by itself at \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/);
  }
  const warnings = [main, post].filter(end => end.warnings !== '').length;
  const created = service.created.length;
  return `created ${created}, deleted ${created - running.length}, warnings ${warnings}`;
}

/** Sends the cancellation signal once, at the given activity or at the first fault. */
function signalsAt(cancel: Chaos['cancel']) {
  let send: (signal: NodeJS.Signals) => void = () => {};
  let count = 0;
  return {
    onStart: (step: 'main' | 'post') => (signals: typeof send) => {
      count = 0;
      send = step === cancel?.step ? signals : () => {};
    },
    onActivity: (kind: string) => {
      count += 1;
      if (cancel === undefined || (kind !== 'fault' && count !== cancel.atActivity)) return;
      send(cancel.signal);
      send = () => {};
    },
  };
}
