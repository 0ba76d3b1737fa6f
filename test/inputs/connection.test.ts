import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isLoopback, routingHeaders, secretsInHeaders } from '../../src/inputs/connection.ts';
import { each, problemsOf, refuses, takes } from './given.ts';

describe('base-url', () => {
  takes('base-url', {
    'HTTPS://Sandbox.Example.COM:443/': 'https://sandbox.example.com',
    'https://sandbox.example.com/a/b//': 'https://sandbox.example.com/a/b',
    'https://bücher.example': 'https://xn--bcher-kva.example',
    'https://[2001:db8::1]:8443': 'https://[2001:db8::1]:8443',
    'https://{port}-{sandbox-id}.example.com': 'https://49983-i1a2b3c4d5.example.com',
    'https://example.com:{port}/{sandbox-id}/': 'https://example.com:49983/i1a2b3c4d5',
  });
  refuses('base-url', { '': 'is required: the URL of the service.' });
  const texts = ['example.com', 'localhost:3000', 'https://exa mple.com', 'https:/x.io'];
  const schemes = ['https://example.com:99999', 'ftp://example.com', 'file:///etc/passwd'];
  refuses('base-url', each([...texts, ...schemes], '% is not a URL that begins with https://.'));
  const tails = ['?a=1', '/a?', '/#a', '#'].map(tail => `https://example.com${tail}`);
  refuses('base-url', each(tails, '% must not have a query or a fragment.'));
  const unknown = ['https://{id}.example.com', 'https://x.io/{}', 'https://{{sandbox-id}}.x.io'];
  refuses('base-url', each(unknown, '% has an unknown placeholder; valid are {sandbox-id}'));
});

describe('http', () => {
  const here = ['localhost', '127.0.0.1', '127.255.1.2', '[::1]'];
  const names = ['a.localhost', 'localhost.example.com', '127.0.0.1.example.com', 'example.com'];
  const elsewhere = [...names, '10.0.0.1', '128.0.0.1', '0.0.0.0', '[::2]'];

  test('of names only localhost is this machine', () => {
    assert.deepEqual([...here, ...elsewhere].filter(isLoopback), here);
  });

  takes('base-url', { 'http://127.1': 'http://127.0.0.1', 'http://[::0:1]:80': 'http://[::1]' });
  const urls = elsewhere.map(host => `http://${host}`);
  refuses('base-url', each(urls, '% would send secrets unencrypted.'));
  takes('base-url', Object.fromEntries(urls.map(url => [url, url])), {
    given: { 'allow-insecure-http': 'true' },
  });

  test('has no such way out for api-url', () => {
    const [problem] = problemsOf({ 'api-url': 'http://x.io' }, 'sandbox');
    assert.match(problem?.message ?? '', /would send secrets unencrypted\. Use https\.$/);
  });
});

test('credentials in base-url or api-url are refused and never repeated', () => {
  for (const url of [
    'https://user:s3cret@example.com',
    'https://user:s3cret@exa mple.com',
    'https://user:s3/cret@example.com',
    'user:s3cret@example.com',
    'https://example.com/a@s3cret',
    '"https://user:s3cret@{sandbox-id}.example.com"',
  ]) {
    const problems = [
      ...problemsOf({ 'base-url': url }),
      ...problemsOf({ 'api-url': url }, 'sandbox'),
    ];
    assert.equal(problems.length, 2);
    for (const { message } of problems) assert.match(message, /^must not contain credentials/);
  }
});

describe('the sandbox id in the place of its placeholder', () => {
  const url = 'https://{port}-{sandbox-id}.example.com';
  for (const id of ['abc', 'a--b', 'a_b', 'a-1', 'a.b']) {
    const given = { 'sandbox-id': id, port: '8080' };
    takes('base-url', { [url]: `https://8080-${id}.example.com` }, { given });
  }

  test('a missing id is reported once, as what it is', () => {
    const problems = problemsOf({ 'base-url': url, 'sandbox-id': '' });
    assert.deepEqual(
      problems.map(({ input }) => input),
      ['sandbox-id'],
    );
  });
});

describe('the paths of operations', () => {
  const paths = ['/files', '/', '/a/b/', '/v1/a%20b', '/a:b@c'];
  takes('upload-path', { ...Object.fromEntries(paths.map(path => [path, path])), '': '/files' });
  takes('stats-path', { '': '/metrics' });
  const wrong = ['files', '.evil.example', '@evil.example', ':80', 'https://x/y'];
  const changed = ['/a b', '/a?b', '/a#b'];
  refuses('stats-path', each([...wrong, ...changed], 'is not a plain URL path'));
});

describe('sandbox-id, token and api-key', () => {
  takes('sandbox-id', { abc: 'abc', ' a.b-c_1 ': 'a.b-c_1', 'v1.2.3': 'v1.2.3', '-_x': '-_x' });
  const ids = [
    'a/b',
    'a b',
    'a\nb',
    '.',
    '..',
    '-',
    'ä',
    '日本',
    'a@b',
    'a:1',
    'a?',
    '{port}',
    'a%2fb',
  ];
  refuses('sandbox-id', each(ids, 'is not an ID: it may have letters, digits, dots, - and _.'));
  const unsendable = ['a\nb', 'a\u0001', '日本', 'a\u007f', 'a\u0100'];
  refuses('token', each(unsendable, 'has a line break or another character'));
  const entry = 'sandbox';
  takes('sandbox-id', { '': '', i1a2: 'i1a2' }, { entry });
  refuses('sandbox-id', { null: 'is empty or null' }, { entry });
  takes('api-key', { e2b_0123: 'e2b_0123' }, { entry });
  refuses('api-key', { 'a\nb': 'has a line break' }, { entry });
  test('a token or key is not repeated', () => {
    for (const token of ['s3cret\u0000', '"s3cret"', 'e2b_s3cret', '${{ s3cret }}'])
      assert.doesNotMatch(JSON.stringify(problemsOf({ token })), /s3cret/);
    const problems = problemsOf({ 'api-key': '"s3cret"' }, entry);
    assert.doesNotMatch(JSON.stringify(problems), /s3cret/);
  });
});

describe('headers', () => {
  takes('headers', {
    ' \n\t\n': {},
    'A: 1\r\n\r\n# c\n  B  :  a: b\n': { A: '1', B: 'a: b' },
    'A:': { A: '' },
    'A: x\ty': { A: 'x\ty' },
    'A: café': { A: 'café' },
    "!#$%&'*+-.^_`|~9z: x": { "!#$%&'*+-.^_`|~9z": 'x' },
    '__proto__: x': { ['__proto__']: 'x' },
    'Host: x\nContent-Kind: y': { Host: 'x', 'Content-Kind': 'y' },
  });

  const names = ['no colon', ': no name', 'a b: space in the name', 'ä: letter in the name'];
  const values = ['\u0001', 'x\u2028y', '日本', '\u007f', 'x\0y'].map(value => `A: ${value}`);
  const lines = [...names, ...values].map(line => `Fine: 1\n${line}`);
  refuses('headers', each(lines, 'line 2: this is not of the form Name: value.'));

  const routing = ['X-Access-Token', 'svc-sandbox-id', 'SVC-SANDBOX-PORT'];
  const body = ['Content-Length', 'content-type', 'Content-Encoding', 'Transfer-Encoding'];
  const way = ['connection', 'Keep-Alive', 'upgrade', 'Expect', 'Proxy-Authorization'];
  const client = ['Accept', 'user-agent'];
  for (const name of [...routing, ...body, ...way, ...client])
    refuses('headers', { [`${name}: x`]: `line 1: the action itself sets "${name}".` });
  const e2b = { given: { 'header-prefix': 'E2b' } };
  refuses('headers', { 'e2b-sandbox-port: 1': 'the action itself sets' }, e2b);
  takes('headers', { 'Svc-Sandbox-Id: a': { 'Svc-Sandbox-Id': 'a' } }, e2b);
  refuses('headers', { 'x-api-key: 1': 'the action itself sets' }, { entry: 'sandbox' });
  refuses('header-prefix', each(['a b', 'a:', 'ä', '(x)'], "% cannot be part of a header's name"));

  test('a value is not repeated: it can be a secret', () => {
    for (const headers of ['X Key: s3cret', 'Upgrade: s3cret'])
      assert.doesNotMatch(JSON.stringify(problemsOf({ headers })), /s3cret/);
  });

  test('the prefix begins the names of the routing headers', () => {
    assert.deepEqual(routingHeaders('E2b'), { id: 'E2b-Sandbox-Id', port: 'E2b-Sandbox-Port' });
  });
});

test('secret are the values of headers whose names say so, from eight characters on', () => {
  const isSecret = {
    Authorization: true,
    COOKIE: true,
    'X-Access-Token': true,
    'Client-Secret': true,
    DB_PASSWORD: true,
    'X-Api-Key': true,
    OPENAI_API_KEY: true,
    apikey: true,
    'X-Cache-Key': false,
    'X-Token-Kind': false,
    'Set-Cookie-Name': false,
    'X-Plain': false,
  };
  const found = Object.keys(isSecret).filter(
    name => secretsInHeaders(`A: b\n${name}: 12345678`).length > 0,
  );
  const expected = Object.entries(isSecret).flatMap(([name, secret]) => (secret ? [name] : []));
  assert.deepEqual(found, expected);
  const basic = secretsInHeaders('no header\r\n Authorization: Basic eDp5c2VjcmV0\r');
  assert.deepEqual(basic, ['Basic eDp5c2VjcmV0', 'eDp5c2VjcmV0']);
  assert.deepEqual(secretsInHeaders('Cookie: 1234567'), []);
});
