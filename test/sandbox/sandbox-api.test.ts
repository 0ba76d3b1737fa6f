import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { statusFault } from '../support/faults.ts';
import { API_KEY, type ApiFault, jobMetadataIn, openJobWithApi } from '../support/job-with-api.ts';
import { NOISE, openRelay } from '../support/relay.ts';
import type { Inputs } from '../support/run-action.ts';
import { createCertificate, hasOpenssl } from '../support/tls-certificate.ts';

interface FailedCreation {
  /** Answers to the expected requests. Any further request succeeds, so the test would fail. */
  readonly faults?: readonly ApiFault[];
  readonly inputs?: Inputs;
  readonly says: RegExp;
  /** Whether the sandbox may exist all the same, so that the post step must look for it. */
  readonly mayExist?: boolean;
}

const answers = (status: number, fields: object) => statusFault(status, JSON.stringify(fields));
const limit = answers(429, { message: 'At most 20 sandboxes' });
const unknown = answers(404, { message: "template 'none' not found" });
const noNode = answers(503, { message: 'no compatible node for this template' });
const page = statusFault(200, '<title>Sandboxes for everyone</title>');

const FAILED_CREATIONS: Readonly<Record<string, FailedCreation>> = {
  'a wrong API key': { inputs: { 'api-key': 'another' }, says: /answered 401.*Check api-key/s },
  'an unknown template': { faults: [unknown], says: /'none' not found.*Check template/s },
  'no API': { inputs: { 'api-url': 'http://127.0.0.1:1' }, says: /ECONNREFUSED.*Check api-url/s },
  'a web page': { faults: [page], says: /it is not JSON.*not of its website/s },
  'a limit (429)': { faults: [limit, limit], says: /said: "At most 20.*limits of your account/s },
  'a limit (429) after a 503': { faults: [503, limit], says: /At most 20/, mayExist: true },
  'no host for the template': { faults: [noNode], says: /no compatible node/ },
  'JSON that names no sandbox': { faults: [answers(200, {})], says: /names no/, mayExist: true },
  'an api-url that ends in /sandboxes': {
    faults: [answers(404, { message: 'Sandbox "sandboxes" doesn\'t exist' })],
    says: /and api-url, to which \/sandboxes is added/,
  },
  'status 502': { faults: [502], says: /answered 502/, mayExist: true },
  'status 500': { faults: [500], says: /answered 500.*run the job again/is, mayExist: true },
};

describe('a creation', { concurrency: 3 }, () => {
  for (const [name, expected] of Object.entries(FAILED_CREATIONS))
    test(`a creation that fails is reported with advice, and repeated only if it had no effect [${name}]`, async () => {
      const { faults, inputs, says, mayExist = false } = expected;
      await using job = await openJobWithApi(faults && { faults });
      const main = await job.runSandbox({ retries: '1', ...inputs });
      assert.equal(main.exitCode, 1, main.stdout);
      assert.match(main.errors, says);
      const { requests } = job.service;
      if (faults) assert.equal(requests.length, faults.length);
      assert.deepEqual([main.outputs, main.warnings], [{}, '']);
      assert.ok(!main.allOutput.includes(API_KEY), main.stdout);
      const { 'sandbox-sync-id': id } = jobMetadataIn(job.service.bodies[0]);
      const { warnings } = await job.runSandbox({ retries: '1', ...inputs }, { post: main });
      const warning = `A failed attempt .*sandbox-sync-id=${id}\\. It ends by itself.*`;
      assert.match(warnings, RegExp(mayExist ? `^${warning}` : '^$'));
      assert.equal(
        requests.some(request => request.startsWith('GET')),
        mayExist,
      );
    });
});

test('a creation is not repeated after a TLS error that follows the request', {
  skip: !hasOpenssl && 'needs openssl',
}, async () => {
  using certificate = createCertificate();
  const breakOff = async () => void relay.connections[0]?.end(NOISE);
  const faults = [{ kind: 'wait', for: breakOff }] as const;
  await using job = await openJobWithApi({ tls: certificate, faults });
  await using relay = await openRelay(job.service.url);
  const inputs = { 'api-url': `https://${relay.host}` };
  await job.runSandbox(inputs, { env: { NODE_EXTRA_CA_CERTS: certificate.certFile } });
  assert.equal(job.service.created.length, 1);
});

const NO_TOKEN = 'No usable token for sandbox i1\\.\nNothing can be sent';
const token = 'a-token-of-the-api';

const UNUSABLE: Readonly<Record<string, readonly [sandbox: object, words: string]>> = {
  'no token': [{}, NO_TOKEN],
  'a token that would garble the log': [{ envdAccessToken: 'e' }, NO_TOKEN],
  'a token with a line break': [{ envdAccessToken: `${token}\n::stop` }, NO_TOKEN],
  'a domain with a command': [
    { envdAccessToken: token, domain: '$(id).x.io' },
    'names "\\$\\(id\\)\\.x\\.io" as the domain of sandbox i1',
  ],
  'a domain with a line break': [{ envdAccessToken: token, domain: 'x.io\n' }, 'names "x.io'],
};
for (const [name, [fields, words]] of Object.entries(UNUSABLE))
  test(`a sandbox with an unusable token or domain fails the step, and the post step deletes it [${name}]`, async () => {
    await using job = await openJobWithApi({
      faults: [answers(201, { sandboxID: 'i1', ...fields })],
    });
    const main = await job.runSandbox();
    assert.deepEqual([main.exitCode, main.outputs, main.masked.includes('e')], [1, {}, false]);
    assert.match(main.errors, RegExp(words));
    await job.runSandbox({}, { post: main });
    assert.deepEqual(job.service.requests, ['POST /sandboxes 201', 'DELETE /sandboxes/i1 404']);
  });
