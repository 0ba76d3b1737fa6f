import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { routingHeaders, secretsInHeaders } from '../../src/inputs/headers.ts';
import { isLoopback } from '../../src/text/loopback.ts';
import { each, problemOf, problemsOf, refuses, takes } from './given.ts';

const EXAMPLE = 'https://sandbox.example.com';

describe('base-url', () => {
  takes('base-url', {
    'HTTPS://Sandbox.Example.COM:443/': 'https://sandbox.example.com',
    'https://sandbox.example.com/a/b//': 'https://sandbox.example.com/a/b',
    'https://bücher.example': 'https://xn--bcher-kva.example',
    'https://[2001:db8::1]:8443': 'https://[2001:db8::1]:8443',
    'https://{port}-{sandbox-id}.example.com': 'https://49983-i1a2b3c4d5.example.com',
    'https://example.com:{port}/{sandbox-id}/{sandbox-id}/':
      'https://example.com:49983/i1a2b3c4d5/i1a2b3c4d5',
  });

  refuses('base-url', { '': 'is required: the sandbox host.' }, EXAMPLE);
  const wrong: Readonly<Record<string, readonly string[]>> = {
    '% is not a URL. Write https:// before it.': ['example.com', 'localhost:3000'],
    '% is not a URL.': ['https://exa mple.com', 'https://example.com:99999', 'file:///etc/passwd'],
    '% is neither an https nor an http URL.': ['ftp://example.com', 'file://host/etc/passwd'],
    '% must not have a query or a fragment.': ['?a=1', '/a?', '/#a', '#'].map(
      tail => `https://example.com${tail}`,
    ),
    '% contains a $: variables are not expanded here, except `${{ … }}`.': [
      'https://$HOST/x',
      'https://${HOST}',
    ],
    '% has the unknown placeholder {id}; valid are {sandbox-id} and {port}.': [
      'https://{id}.example.com',
    ],
    '% has the unknown placeholder {}; valid are {sandbox-id} and {port}.': [
      'https://example.com/{}/{port}',
    ],
  };
  for (const [message, urls] of Object.entries(wrong))
    refuses('base-url', each(urls, message), EXAMPLE);
});

describe('http', () => {
  takes('base-url', { 'http://127.1': 'http://127.0.0.1', 'http://[::1]:80': 'http://[::1]' });

  const here = ['localhost', '127.0.0.1', '127.255.1.2', '[::1]'];
  const names = [
    'a.localhost',
    'localhost.example.com',
    'notlocalhost',
    '127.0.0.1.example.com',
    'example.com',
  ];
  const elsewhere = [...names, '10.0.0.1', '128.0.0.1', '0.0.0.0', '[::2]'];

  test('of names only localhost is this machine', () => {
    assert.deepEqual([...here, ...elsewhere].filter(isLoopback), here);
  });

  const urls = elsewhere.map(host => `http://${host}`);
  const message =
    '% would send the token unencrypted. Use https, or set allow-insecure-http: true.';
  refuses('base-url', each(urls, message), EXAMPLE);
  takes('base-url', Object.fromEntries(urls.map(url => [url, url])), {
    'allow-insecure-http': 'true',
  });
});

describe('credentials are refused and never repeated', () => {
  const values = [
    'https://user:s3cret@example.com',
    'https://s3cret@example.com',
    'https://user:s3cret@exa mple.com',
    'https://user:s3/cret@example.com',
    'ftp://user:s3cret@example.com',
    'https://user:s3cret@example.com/?a#b',
    'https://user:s3cret@example.com/{unknown}',
    'https://user:s3cret@{sandbox-id}.example.com',
    'user:s3cret@example.com',
    'https://user:12/s3cret@example.com',
    'https://example.com/a@s3cret',
  ];
  const message = 'must not contain credentials or an @: the token has its own input.';
  refuses('base-url', each(values, message), EXAMPLE, { 'sandbox-id': 'not/a/label' });
});

describe('the sandbox id in the place of its placeholder', () => {
  const inHost = 'https://{port}-{sandbox-id}.example.com';
  const inPath = 'https://example.com/{sandbox-id}/agent';
  for (const id of ['abc', 'a--b', 'a_b', 'A-1', 'x'.repeat(57)]) {
    takes(
      'base-url',
      { [inHost]: `https://49983-${id.toLowerCase()}.example.com` },
      { 'sandbox-id': id },
    );
  }
  for (const id of ['a.b', 'a/b', 'a b', '..', 'ä', 'a@b', 'a:1', 'x'.repeat(64)]) {
    const message = `% puts sandbox-id ${JSON.stringify(id)} into the host name, where it does not fit.`;
    refuses('base-url', each([inHost], message), EXAMPLE, { 'sandbox-id': id });
  }
  const encoded = { 'a/b': 'a%2Fb', 'a b?': 'a%20b%3F', 'a.b': 'a.b', 'é%2e': '%C3%A9%252e' };
  for (const [id, part] of Object.entries(encoded)) {
    takes('base-url', { [inPath]: `https://example.com/${part}/agent` }, { 'sandbox-id': id });
  }
  for (const id of ['.', '..']) {
    refuses('base-url', each([inPath], `% cannot take sandbox-id "${id}" in its place.`), EXAMPLE, {
      'sandbox-id': id,
    });
    test(`${id} is an id elsewhere`, () => assert.deepEqual(problemsOf({ 'sandbox-id': id }), []));
  }
  takes('base-url', { [inHost]: 'https://8080-i1a2b3c4d5.example.com' }, { port: '8080' });

  test('a missing id is reported once, as what it is', () => {
    assert.equal(problemOf({ 'base-url': inHost, 'sandbox-id': '' }).input, 'sandbox-id');
  });
});

describe('base-url that ends in the path of an operation', () => {
  const wrong = (operation: string) =>
    `% ends in ${operation}, which the action adds itself. Remove it.`;
  refuses(
    'base-url',
    each(['https://x.io/files', 'https://x.io/a/files/'], wrong('/files')),
    EXAMPLE,
  );
  refuses('base-url', each(['https://x.io/metrics'], wrong('/metrics')), EXAMPLE);
  refuses('base-url', each(['https://x.io/v1/put'], wrong('/v1/put')), EXAMPLE, {
    'upload-path': '/v1/put',
  });
  takes('base-url', { 'https://x.io/files': 'https://x.io/files' }, { 'upload-path': '/put' });
  takes('base-url', { 'https://x.io/my-files': 'https://x.io/my-files' });
});

describe('base-url of E2B', () => {
  const urls = ['https://sandbox.e2b.app', 'https://e2b.dev/x', 'https://sandbox.E2B.dev:443'];
  for (const url of urls) {
    for (const prefix of ['', 'Svc'])
      refuses('header-prefix', { [prefix]: "base-url is E2B's: set header-prefix: E2b." }, 'E2b', {
        'base-url': url,
      });
    takes('header-prefix', { E2b: 'E2b' }, { 'base-url': url });
  }
  for (const url of [
    'https://e2b.app.example.com',
    'https://note2b.app',
    'https://x.io/e2b.app',
    'https://49983-{sandbox-id}.e2b.app',
  ])
    takes('header-prefix', { '': 'Svc' }, { 'base-url': url });
  const routed = { 'base-url': 'https://49983-i1a2b3.e2b.app', 'sandbox-id': 'i1a2b3' };
  takes('header-prefix', { '': 'Svc' }, routed);
  const alike = { 'base-url': 'https://sandbox.e2b.app', 'sandbox-id': 'box' };
  const why = "base-url is E2B's: set header-prefix: E2b.";
  refuses('header-prefix', { '': why }, 'E2b', alike);
});

describe('the paths of operations', () => {
  const paths = ['/files', '/', '/a/b/', '/v1/a%20b', '/a:b@c'];
  takes('upload-path', { ...Object.fromEntries(paths.map(path => [path, path])), '': '/files' });
  takes('stats-path', { '': '/metrics' });
  const hosts = ['files', '//evil.example/x', '/\\evil', 'https://x/y'];
  const changed = ['/a/../b', '/./a', '/a b', '/a?b', '/a#b', '/ä', '/%2e%2e/x'];
  const wrong = Object.fromEntries(
    [...hosts, ...changed].map(path => [path, `"${path}" is not a plain URL path`]),
  );
  for (const [path, message] of Object.entries(wrong)) {
    refuses('stats-path', { [path]: `${message} that begins with a slash.` }, '/metrics');
  }
});

const NOT_LATIN =
  'cannot be sent in a header: it has a line break or another character outside Latin-1.';

const UNEVALUATED =
  'contains a literal `${{`, which the runner did not evaluate. Check its spelling.';
const API_KEY =
  "is an API key. Give the sandbox's access token, which the API returns when it creates the sandbox.";

const missing = (what: string, output: string, masked = '') =>
  `is ${what}: check the id of the step that it comes from, and that the step writes ${output}=… to GITHUB_OUTPUT${masked}; workflows of forks get no secrets.`;

describe('sandbox-id', () => {
  takes('sandbox-id', {
    abc: 'abc',
    'a--b_c': 'a--b_c',
    ' a.b/c ': 'a.b/c',
    'x y': 'x y',
    é: 'é',
    '"': '"',
  });
  const example = '${{ steps.sandbox.outputs.id }}';
  refuses('sandbox-id', { '': missing('empty', 'id'), ' \n': missing('empty', 'id') }, example);
  refuses(
    'sandbox-id',
    { null: missing('null', 'id'), undefined: missing('undefined', 'id') },
    example,
  );
  refuses('sandbox-id', each(['a\nb', 'a\u0001', '日本', 'a\u007f'], `% ${NOT_LATIN}`), example);
  refuses(
    'sandbox-id',
    each(['https://x.io/a', 'wss://a'], '% is a URL. Give only the ID.'),
    example,
  );
  refuses(
    'sandbox-id',
    each(['49983-abc.e2b.app', 'sandbox.example.com:443'], '% is a host name. Give only the ID.'),
    example,
  );
  refuses('sandbox-id', { '${{ steps.x.outputs.id }}': UNEVALUATED }, example);
  refuses('sandbox-id', each(['"i1a2"', "'i1a2'"], 'is in quotation marks. Remove them.'), example);
  takes('sandbox-id', { 'a.b': 'a.b', 'v1.2.3': 'v1.2.3' });
});

describe('token', () => {
  const masked = '; GitHub drops masked outputs between jobs';
  const wrong = { ' ': missing('empty', 'token', masked), null: missing('null', 'token', masked) };
  refuses('token', wrong, '${{ steps.sandbox.outputs.token }}');
  refuses(
    'token',
    { 'first\nsecond': `the value given ${NOT_LATIN}` },
    '${{ steps.sandbox.outputs.token }}',
  );
  const slips = {
    e2b_0123456789abcdef: API_KEY,
    sk_e2b_0123456789: API_KEY,
    '"tok-3f9c1d"': 'is in quotation marks. Remove them.',
    "'tok-3f9c1d'": 'is in quotation marks. Remove them.',
    'Bearer tok-3f9c1d': 'begins with Bearer. Give the token alone.',
    '${{ secrets.TOKEN }}': UNEVALUATED,
  };
  for (const [value, message] of Object.entries(slips)) {
    refuses('token', { [value]: message }, '${{ steps.sandbox.outputs.token }}');
  }
});

describe('header-prefix', () => {
  takes('header-prefix', { '': 'Svc', E2b: 'E2b' });
  const wrong = ['a b', 'a:', 'ä', '"', 'a\nb', '(x)'];
  refuses('header-prefix', each(wrong, "% cannot be part of a header's name."), 'E2b');
  refuses(
    'header-prefix',
    each(
      ['E2b-', 'E2b-Sandbox-Id', 'E2b-sandbox-port'],
      '% is more than the prefix, which is "E2b".',
    ),
    'E2b',
  );

  test('it begins the names of the routing headers', () => {
    assert.deepEqual(routingHeaders('E2b'), { id: 'E2b-Sandbox-Id', port: 'E2b-Sandbox-Port' });
  });
});

describe('headers', () => {
  takes('headers', {
    '': {},
    ' \n\t\n': {},
    'X-Metadata-build: 42': { 'X-Metadata-build': '42' },
    'A: 1\r\n\r\nB: 2\r\n': { A: '1', B: '2' },
    '  A  :  a: b  ': { A: 'a: b' },
    'A:': { A: '' },
    'A: x\ty': { A: 'x\ty' },
    'A: café': { A: 'café' },
    'Authorization: Basic eDp5': { Authorization: 'Basic eDp5' },
    "!#$%&'*+-.^_`|~9z: x": { "!#$%&'*+-.^_`|~9z": 'x' },
    '__proto__: x': { ['__proto__']: 'x' },
  });
  takes('headers', { 'Svc-Sandbox-Id: a': { 'Svc-Sandbox-Id': 'a' } }, { 'header-prefix': 'E2b' });

  const example = '"X-Metadata-build: 42"';
  const places = ['no colon', ': no name', 'a b: space in the name', 'ä: letter in the name'];
  const values = ['\u0001', 'x\u2028y', '日本', '\u{1f600}', '\u007f', 'x\0y', 'x\ry'].map(
    value => `A: ${value}`,
  );
  const malformed = [...places, ...values].map(line => `Fine: 1\n${line}`);
  refuses('headers', each(malformed, 'line 2 is not of the form Name: value.'), example);

  const taken =
    'X-Access-Token Svc-Sandbox-Id Svc-Sandbox-Port Accept User-Agent Host Content-Type Content-Length';
  const more = 'Transfer-Encoding Connection Expect Upgrade Keep-Alive Proxy-Authorization';
  for (const name of `${taken} ${more}`.split(' ')) {
    for (const spelt of [name, name.toLowerCase(), name.toUpperCase()]) {
      const message = `line 1 sets "${spelt}", which the action sets itself.`;
      refuses('headers', { [`${spelt}: x`]: message }, example);
    }
  }
  const own = {
    'e2b-sandbox-port: 1': 'line 1 sets "e2b-sandbox-port", which the action sets itself.',
  };
  refuses('headers', own, example, { 'header-prefix': 'E2b' });
  refuses(
    'headers',
    { 'X-Build: 1\n\nx-build: 1': 'line 3 sets "x-build" a second time.' },
    example,
  );

  test('a value is not repeated: it can be a secret', () => {
    for (const headers of ['X Key: s3cret', 'Key: s3cret\nKEY: s3cret'])
      assert.doesNotMatch(problemOf({ headers }).message, /s3cret/);
  });
});

test('printable Latin-1 and tabs can be sent in a header, nothing else', () => {
  for (let unit = 0; unit < 0x180; unit += 1) {
    const expected = unit === 9 || (unit >= 0x20 && unit <= 0xff && unit !== 0x7f);
    const problems = problemsOf({ 'sandbox-id': `a${String.fromCharCode(unit)}b` });
    assert.equal(problems.length === 0, expected, `U+${unit.toString(16)}`);
  }
});

test('secret are the values of headers that say so, from eight characters on', () => {
  const headers = [
    ['Authorization', 'Basic eDp5c2VjcmV0'],
    ['X-Api-Key', '12345678'],
    ['X-Cache-Key', 'v1'],
    ['Cookie', '1234567'],
    ['X-Plain', 'as-it-is-here'],
  ] as const;
  assert.deepEqual(secretsInHeaders(headers), [
    'Basic eDp5c2VjcmV0',
    'eDp5c2VjcmV0',
    '12345678',
    '12345678',
  ]);
});
