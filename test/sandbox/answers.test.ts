import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ControlPlaneOptions } from '../../dev/agent/control-plane.ts';
import type { Step } from '../../dev/runner/step.ts';
import { API_KEY, asked, openService, shownBy } from './service.ts';

interface Situation {
  readonly plane?: Partial<ControlPlaneOptions>;
  readonly inputs?: Step['inputs'];
  /** Parts of the error. */
  readonly said: readonly string[];
  /** The requests to the API. */
  readonly asks: readonly string[];
}

const json = (status: number, message: string) => ({
  answer: { status, body: JSON.stringify({ code: status, message }) },
});
const page = { 'Content-Type': 'text/html' };
const html = '<!doctype html><title>Sandboxes for everyone</title><h1>Welcome</h1>';

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'a wrong API key': {
    plane: { apiKey: 'another' },
    said: ['answered 401', 'The API key is missing or wrong', 'not a sandbox'],
    asks: ['POST /sandboxes 401'],
  },
  'an account without money': {
    plane: { failures: [json(402, 'Please add a payment method')] },
    said: ['answered 402', 'It said: "Please add a payment method"', 'limits of your account'],
    asks: ['POST /sandboxes 402'],
  },
  'an account that may not': {
    plane: { failures: [json(403, 'This key is read-only')] },
    said: ['answered 403', 'It said: "This key is read-only"', 'what the API key may do'],
    asks: ['POST /sandboxes 403'],
  },
  'too many sandboxes': {
    plane: { failures: [json(429, 'At most 20 sandboxes'), json(429, 'At most 20 sandboxes')] },
    inputs: { retries: '1' },
    said: ['answered 429', 'It said: "At most 20 sandboxes"', 'Delete sandboxes'],
    asks: ['POST /sandboxes 429', 'POST /sandboxes 429'],
  },
  'a lifetime that is too long': {
    plane: { failures: [json(400, 'Timeout cannot be greater than 1 hours')] },
    inputs: { lifetime: '24h' },
    said: ['It said: "Timeout cannot be greater than 1 hours"', 'Check template, lifetime'],
    asks: ['POST /sandboxes 400'],
  },
  'a template that does not exist': {
    inputs: { template: 'none' },
    said: ['It said: "template \'none\' not found"', 'Check template'],
    asks: ['POST /sandboxes 404'],
  },
  'a website in place of the API': {
    plane: { failures: [{ answer: { status: 200, headers: page, body: html } }] },
    said: ['answered 200 with an unusable answer: it is not JSON', 'not of its website'],
    asks: ['POST /sandboxes 200'],
  },
  'a website without such a page': {
    plane: { failures: [{ answer: { status: 404, headers: page, body: html } }] },
    said: ['answered 404', 'It said: "Sandboxes for everyone Welcome"', 'api-url'],
    asks: ['POST /sandboxes 404'],
  },
  'a redirect': {
    plane: {
      failures: [
        { answer: { status: 308, headers: { Location: 'https://e2b.dev/sandboxes' }, body: '' } },
      ],
    },
    said: ['which leads to e2b.dev/sandboxes', 'Redirects are not followed'],
    asks: ['POST /sandboxes 308'],
  },
};

suite('the error names what to do about', { concurrency: 2 }, () => {
  for (const [name, { plane, inputs, said, asks }] of Object.entries(SITUATIONS)) {
    test(name, async () => {
      await using service = await openService(plane);
      const main = await service.run(inputs);
      assert.equal(main.exitCode, 1, main.stdout);
      const [error = '', ...others] = main.annotations('error');
      assert.deepEqual([others, main.annotations('warning')], [[], []]);
      for (const words of said) assert.ok(error.includes(words), error);
      assert.deepEqual(asked(service), asks);
      assert.deepEqual([main.outputs, main.state], [{}, {}]);
    });
  }

  test('a service that returns no token, and deletes the sandbox', async () => {
    await using service = await openService({ givesToken: false });
    const main = await service.run();
    assert.equal(main.exitCode, 1);
    assert.match(main.annotations('error').join(), /no token for sandbox i\w+\.\nNothing can be/);
    assert.deepEqual(Object.keys(main.outputs), ['id', 'domain']);
    await service.run({}, { post: main });
    assert.deepEqual(service.plane.running(), []);
  });

  const inputs: Readonly<Record<string, readonly [Step['inputs'], RegExp]>> = {
    'an empty key': [{ 'api-key': '' }, /^api-key: is empty: .* from forks/],
    'a key in quotation marks': [{ 'api-key': '"e2b_1"' }, /^api-key: is in quotation marks/],
    'no URL': [{ 'api-url': '' }, /^api-url: is required/],
    'a URL that is none': [{ 'api-url': 'api.e2b.app' }, /^api-url: .* is not a plain https URL/],
    'an unencrypted URL': [{ 'api-url': 'http://api.e2b.app' }, /unencrypted\. Use https/],
    'the URL of an operation': [{ 'api-url': 'https://api.e2b.app/sandboxes' }, /adds itself/],
    'a password in the URL': [{ 'api-url': 'https://me:pass-word@host' }, /must not contain/],
    'a lifetime without a unit': [{ lifetime: '900' }, /^lifetime: "900" is not a duration/],
    'metadata without a value': [{ metadata: 'a=1\nb' }, /^metadata: line 2 is not of the form/],
    'one variable twice': [{ env: 'A=1\nA=2' }, /^env: line 2 sets "A" a second time/],
    'a header that is the key': [{ headers: 'x-api-key: 1' }, /^headers: sets X-API-Key/],
    'the key in another input': [{ metadata: `a=${API_KEY}` }, /^metadata: contains the token or/],
    'an ID that climbs': [{ 'sandbox-id': '..' }, /^sandbox-id: ".." is not the ID/],
    'a misspelt input': [{ lifetimes: '1h' }, /Did you mean lifetime\?/],
  };
  for (const [name, [given, said]] of Object.entries(inputs)) {
    test(`${name}, before anything is sent`, async () => {
      await using service = await openService();
      const main = await service.run(given);
      assert.equal(main.exitCode, 1, main.stdout);
      assert.match(main.annotations('error').join(), said);
      assert.doesNotMatch(shownBy(main), /pass-word|e2b_/);
      assert.deepEqual(service.plane.requests, []);
    });
  }
});

suite('secrets are not shown', { concurrency: 2 }, () => {
  const env = { RUNNER_DEBUG: '1' };
  const given = { env: 'DB_PASSWORD_TOKEN=variable-of-the-sandbox', headers: 'X-Secret: header-1' };
  const SECRETS = [API_KEY, 'variable-of-the-sandbox', 'header-1'];

  test('by a run that does well: the token is only the output token', async () => {
    await using service = await openService();
    const main = await service.run(given, { env });
    const post = await service.run(given, { env, post: main });
    assert.deepEqual([main.exitCode, post.exitCode], [0, 0]);
    const { token = '', ...outputs } = main.outputs;
    const shown = [main, post].map(({ stdout }) => stdout.replaceAll(/^::add-mask::.*$/gm, ''));
    const all = JSON.stringify([shown, outputs, main.state, main.env, main.summary]);
    for (const secret of [...SECRETS, token]) assert.ok(!all.includes(secret), secret);
    for (const secret of [API_KEY, token]) assert.ok(main.lines.includes(`::add-mask::${secret}`));
  });

  for (const status of [201, 400, 500]) {
    test(`although the service answers ${status} with all of them in it`, async () => {
      const echo = JSON.stringify({
        sandboxID: `i-${API_KEY}`,
        domain: API_KEY,
        message: SECRETS.join(' '),
      });
      const answer = { status, body: echo };
      await using service = await openService({ failures: [{ answer }] });
      const main = await service.run(given, { env });
      assert.equal(main.exitCode, 1);
      for (const secret of SECRETS) assert.ok(!shownBy(main).includes(secret), main.stdout);
    });
  }

  test('although an answer makes them the domain', async () => {
    const body = JSON.stringify({ sandboxID: 'i1', envdAccessToken: 'the-token', domain: API_KEY });
    await using service = await openService({ failures: [{ answer: { status: 201, body } }] });
    const main = await service.run();
    assert.deepEqual(main.outputs, { id: 'i1', token: 'the-token' });
    assert.ok(!shownBy(main).includes(API_KEY));
  });
});
