import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { hasOpenssl, makeKeys } from '../../dev/agent/keys.ts';
import { runJob } from '../../dev/runner/job.ts';
import { readWorkflow } from '../../dev/runner/workflow-file.ts';
import { openProxy } from '../action/proxy.ts';
import { WITHOUT_BASH } from '../system.ts';
import { API_KEY, asked, openService, type Service } from './service.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');

const SANDBOX = (id: string) => `
  - id: ${id}
    uses: ./sandbox
    with: { api-url: $URL, api-key: ${API_KEY}, wait: false }`;

const MONITOR = `
  - uses: ./monitor
    with:
      sandbox-id: \${{ steps.one.outputs.id }}
      token: \${{ steps.one.outputs.token }}
      base-url: $URL
      header-prefix: E2b
      sample-interval: 200ms
      fail-if: mem_used_pct > 100`;

/** Runs the steps of a job; $URL is the service. */
async function run({ plane, places }: Service, steps: string) {
  const file = path.join(places.temp, 'job.yml');
  const indented = steps.replaceAll('$URL', plane.url).replaceAll('\n', '\n    ');
  writeFileSync(file, `jobs:\n  a:\n    steps:${indented}\n`);
  const [job] = await readWorkflow(file);
  const log: string[] = [];
  const results = await runJob(job?.steps ?? [], {
    ...places,
    findAction: uses => path.join(PROJECT, uses),
    log: line => log.push(line),
  });
  return { results, log: log.join('\n') };
}

suite('in a job', { concurrency: 2, skip: WITHOUT_BASH }, () => {
  test('that fails, the sandbox is deleted', async () => {
    await using service = await openService();
    const { results, log } = await run(service, `${SANDBOX('one')}\n  - run: exit 1`);
    const outcomes = results.map(({ outcome }) => outcome);
    assert.deepEqual(outcomes, ['success', 'failure', 'success'], log);
    assert.deepEqual(asked(service), ['POST /sandboxes 201', 'DELETE /sandboxes/ID 204']);
  });

  test('two sandboxes are created, and both deleted', async () => {
    await using service = await openService();
    const { log } = await run(service, `${SANDBOX('one')}${SANDBOX('two')}`);
    const [one, two] = service.plane.created.map(({ id }) => id);
    const deleted = [two, one].map(id => `DELETE /sandboxes/${id} 204`);
    const created = ['POST /sandboxes 201', 'POST /sandboxes 201'];
    assert.deepEqual(service.plane.requests, [...created, ...deleted], log);
  });

  test('a monitor after it ends before the sandbox does, and has seen all of the job', async () => {
    await using service = await openService({ agents: { metrics: () => METRICS } });
    const { results, log } = await run(service, `${SANDBOX('one')}${MONITOR}\n  - run: 'true'`);
    assert.ok(
      results.every(({ outcome }) => outcome === 'success'),
      log,
    );
    const posts = results.filter(({ phase }) => phase === 'post').map(({ step }) => step.title);
    assert.deepEqual(posts, ['./monitor', './sandbox']);
    assert.doesNotMatch(log, /::(warning|error)/);
    assert.deepEqual(service.plane.running(), []);
  });
});

const METRICS = { mem_total: 2 ** 33, mem_used: 2 ** 31 };

suite('waiting', { concurrency: 2, skip: !hasOpenssl && 'needs openssl' }, () => {
  for (const [name, status] of Object.entries({ starts: 502, 'has no stats': 404 })) {
    test(`lasts until the agent answers, if it ${name}`, async () => {
      using keys = makeKeys('DNS:*.e2b.app');
      const faults = [{ on: 'stats', times: 2, do: { kind: 'status', status } }] as const;
      await using service = await openService({ tls: keys, agents: { faults } });
      await using proxy = await openProxy({ tunnelTo: service.plane.url });
      const env = { HTTPS_PROXY: `http://${proxy.address}`, NODE_EXTRA_CA_CERTS: keys.certFile };
      const inputs = { 'api-url': 'https://api.e2b.app', wait: 'true' };
      const main = await service.run(inputs, { env });
      assert.equal(main.exitCode, 0, main.stdout);
      const [sandbox] = service.plane.created;
      const statuses = sandbox?.agent.requests.map(request => request.status);
      assert.deepEqual(statuses, status === 502 ? [502, 502, 200] : [404]);
      const hosts = new Set(proxy.requests.map(({ host }) => host));
      assert.deepEqual([...hosts], ['api.e2b.app:443', `49983-${sandbox?.id}.e2b.app:443`]);
    });
  }

  test('fails the step if the agent cannot be reached safely', async () => {
    using keys = makeKeys('DNS:api.e2b.app');
    await using service = await openService({ tls: keys });
    await using proxy = await openProxy({ tunnelTo: service.plane.url });
    const env = { HTTPS_PROXY: `http://${proxy.address}`, NODE_EXTRA_CA_CERTS: keys.certFile };
    const inputs = { 'api-url': 'https://api.e2b.app', wait: 'true' };
    const main = await service.run(inputs, { env });
    assert.equal(main.exitCode, 1);
    assert.match(main.annotations('error').join(), /^The agent does not answer: .*\n.*wait: false/);
    await service.run(inputs, { env, post: main });
    assert.deepEqual(service.plane.running(), []);
  });

  test('is left out, and said so, if nobody knows where the agent is', async () => {
    await using service = await openService({ domain: null });
    const main = await service.run({ wait: 'true' });
    assert.equal(main.exitCode, 0, main.stdout);
    assert.match(main.stdout, /^The service names no domain, so nothing was waited for\.$/m);
    assert.deepEqual(Object.keys(main.outputs), ['id', 'token']);
  });
});
