import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSecretHeader, secretsIn } from '../../src/inputs/connection.ts';
import {
  accepts,
  invalidInputs,
  problemsOf,
  rejects,
  sameMessage,
} from '../support/parse-inputs.ts';

const SANDBOX = { action: 'sandbox' } as const;
const url = 'https://{port}-{sandbox-id}.example.com';

test('base-url is normalized, and its placeholders are filled in', () => {
  accepts('base-url', {
    'HTTPS://Sandbox.Example.COM:443/': 'https://sandbox.example.com',
    'https://sandbox.example.com/a/b//': 'https://sandbox.example.com/a/b',
    'https://bücher.example': 'https://xn--bcher-kva.example',
    'https://[2001:db8::1]:8443': 'https://[2001:db8::1]:8443',
    'https://{port}-{sandbox-id}.example.com': 'https://49983-i1a2b3c4d5.example.com',
    'https://example.com:{port}/{sandbox-id}/': 'https://example.com:49983/i1a2b3c4d5',
  });
  const given = { 'sandbox-id': 'a--b_c.d', port: '8080' };
  accepts('base-url', { [url]: 'https://8080-a--b_c.d.example.com' }, { others: given });
});

test('base-url is a URL without a query, a fragment, a variable or another placeholder', () => {
  const needed = 'With sandbox-id and token, it is needed.';
  rejects('base-url', { '': needed, null: 'is empty or null.' });
  const texts = ['example.com', 'https://exa mple.com', 'https:/x.io', 'https://x.io:99999'];
  const others = [
    'ftp://x.io',
    'https://x.io?a=1',
    'https://x.io/a?',
    'https://x.io/#a',
    '"https://x.io"',
  ];
  const placeholders = ['https://{id}.x.io', 'https://49983-$ID.x.io', 'https://${HOST}'];
  const rule =
    'is not a URL that begins with https:// and has no query, fragment, variable or unknown placeholder.';
  rejects('base-url', sameMessage([...texts, ...others, ...placeholders], `% ${rule}`));
  rejects('base-url', { 'https://{{sandbox-id}}.x.io': `"https://{i1a2b3c4d5}.x.io" ${rule}` });
});

test('a URL may be http on this machine, and api-url only there', () => {
  const here = ['localhost', '127.0.0.1', '127.255.1.2', '[::1]'].map(host => `http://${host}`);
  accepts('base-url', Object.fromEntries(here.map(url => [url, url])));
  accepts('base-url', { 'http://127.1': 'http://127.0.0.1', 'http://[::0:1]:80': 'http://[::1]' });
  const hosts = ['a.localhost', 'localhost.x.io', '127.0.0.1.x.io', 'x.io', '0.0.0.0', '[::2]'];
  const urls = hosts.map(host => `http://${host}`);
  const unencrypted = '% would send secrets unencrypted. Use https.';
  rejects('api-url', sameMessage(urls, unencrypted), SANDBOX);
});

test('credentials in base-url or api-url are rejected and never quoted', () => {
  for (const url of ['https://user:s3cret@x.io', 'user:s3cret@x.io', '"https://a:s3/cret@x .io"'])
    for (const problems of [
      problemsOf({ 'base-url': url }),
      problemsOf({ 'api-url': url }, 'sandbox'),
    ])
      assert.match(problems[0]?.message ?? '', /^must not contain credentials/);
});

test('base-url is not reported too if its sandbox ID is empty or its port no number', () => {
  for (const invalid of [{ 'sandbox-id': '' }, { 'sandbox-id': 'a b' }, { port: 'x/y' }])
    assert.deepEqual(invalidInputs({ 'base-url': url, ...invalid }), Object.keys(invalid));
});

test('upload-path and stats-path are plain paths that begin with a slash', () => {
  accepts('upload-path', { '/': '/', '/v1/a%20b:@c/': '/v1/a%20b:@c/', '': '/files' });
  accepts('stats-path', { '': '/metrics' });
  const noPaths = ['files', '.evil.example', '@evil.example', ':80', '/a b', '/a?b', '/a#b'];
  rejects('stats-path', sameMessage(noPaths, 'is not a plain URL path'));
});

test('sandbox-id has letters, digits, dots, - and _', () => {
  accepts('sandbox-id', { abc: 'abc', ' a.b-c_1 ': 'a.b-c_1', 'v1.2.3': 'v1.2.3', '-_x': '-_x' });
  const ids = ['a b', 'a\nb', ...'a/b . .. - ä 日本 a@b a:1 a? {port} a%2fb "a" $ID'.split(' ')];
  const words = 'is not an ID: it may have letters, digits, dots, - and _.';
  rejects('sandbox-id', sameMessage([...ids, '${{ x }}', 'https://a.io'], words));
});

test('a token or an API key has only characters that a header can carry', () => {
  const unsendable = ['a\nb', 'a\u0001', '日本', 'a\u007f', 'a\u0100'];
  rejects('token', sameMessage(unsendable, 'or another character that it cannot have.'));
  accepts('api-key', { e2b_0123: 'e2b_0123' }, SANDBOX);
  rejects('api-key', { 'a\nb': 'or another character that it cannot have.' }, SANDBOX);
  const asExpression =
    'or as `${{ secrets.NAME }}`. Example: `api-key: ${{ secrets.E2B_API_KEY }}`';
  rejects('api-key', { 'secrets.E2B_API_KEY': asExpression }, SANDBOX);
});

test('a message about an input that may be secret never quotes its value', () => {
  const lines = ['X Key: s3cret', 'Upgrade: s3cret', 'A B=s3cret'];
  for (const input of ['token', 'api-key', 'headers', 'env', 'metadata', 'create-options'])
    for (const value of ['s3cret\u0000', '"s3cret"', 'e2b_s3cret', '${{ s3cret }}', ...lines])
      for (const action of ['sync', 'sandbox'] as const)
        assert.doesNotMatch(JSON.stringify(problemsOf({ [input]: value }, action)), /s3cret/);
});

test('headers are lines Name: value', () => {
  accepts('headers', {
    ' \n\t\n': {},
    'A: 1\r\n\r\n# c\n  B  :  a: b\n': { A: '1', B: 'a: b' },
    'A:': { A: '' },
    'A: x\tcafé': { A: 'x\tcafé' },
    "!#$%&'*+-.^_`|~9z: x": { "!#$%&'*+-.^_`|~9z": 'x' },
    '__proto__: x': { ['__proto__']: 'x' },
    'Host: x\nContent-Kind: y': { Host: 'x', 'Content-Kind': 'y' },
  });
});

test('a header that cannot be sent is rejected, without its value', () => {
  const invalid = ['no colon', ': no name', 'a b: a space', 'ä: a letter', 'A: \u0001', 'A: 日本'];
  const lines = invalid.map(line => `Fine: 1\n${line}`);
  rejects('headers', sameMessage(lines, 'line 2: this is not of the form Name: value.'));
});

test('a header that the action itself sets is rejected', () => {
  const body = ['Content-Length', 'content-type', 'Content-Encoding', 'Transfer-Encoding'];
  const others = ['connection', 'Keep-Alive', 'upgrade', 'Expect', 'Accept', 'user-agent'];
  const routing = ['e2b-sandbox-id', 'Svc-Sandbox-Port'];
  for (const name of [...body, ...others, ...routing, 'Proxy-Authorization', 'X-Access-Token'])
    rejects('headers', { [`${name}: x`]: `line 1: the action itself sets "${name}".` });
});

test('a header that stands on two lines is rejected, in whatever case', () => {
  const lines = ['X-A: 1\nX-A: 2', 'B: 1\nx-a: 1\nX-A: 2'];
  rejects('headers', sameMessage(lines, '"x-a" stands on two lines. Remove one of them.'));
});

test('header-prefix is part of a header name', () => {
  accepts('header-prefix', { E2b: 'E2b', Acme: 'Acme' });
  rejects('header-prefix', sameMessage(['a b', 'a:'], "% cannot be part of a header's name"));
  const tooMuch = ['Svc-', 'Svc-Sandbox', 'E2b-Sandbox-Id'];
  rejects('header-prefix', sameMessage(tooMuch, '% is more than the prefix'));
});

const PREFIXES: Readonly<Record<string, string>> = {
  'https://sandbox.e2b.app': 'E2b',
  'https://{port}-{sandbox-id}.e2b.dev/x': 'E2b',
  'https://sandbox.e2b-staging.dev:8443': 'E2b',
  'https://note2b.app': 'Svc',
  'https://e2b.app.example.com': 'Svc',
};
for (const [url, prefix] of Object.entries(PREFIXES))
  test(`without a header-prefix, it is E2b on the hosts of E2B, and else Svc [${url}]`, () => {
    accepts('header-prefix', { '': prefix }, { others: { 'base-url': url } });
    const taken = { action: 'sandbox', others: { ...TAKEN, 'base-url': url } } as const;
    accepts('header-prefix', { '': prefix }, taken);
  });

test('sandbox has the header-prefix of E2B if it uses the API, on any host', () => {
  const others = { 'base-url': 'https://sandbox.example.com' };
  accepts('header-prefix', { '': 'E2b', Acme: 'Acme' }, { action: 'sandbox', others });
});

const TAKEN = { 'api-url': '', 'api-key': '', template: '', 'sandbox-id': 'i1', token: 'a-token1' };

test('tokens, signatures, API keys and secret headers are masked, but no values of env', () => {
  const headers = 'no header\r\n Authorization: Basic dXNlcjpwYXNz\r\nX-Cache-Key: production';
  const env = 'A=a long value';
  const raw = { 'api-key': ' key ', token: 'tok', signature: 'signed', headers, env };
  const credentials = ['Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'];
  assert.deepEqual(secretsIn(raw), ['tok', 'signed', 'key', ...credentials]);
});

test('empty secrets, "null", "undefined" and headers below eight characters are not masked', () => {
  const raw = {
    token: 'null',
    signature: ' undefined ',
    'api-key': '',
    headers: 'Cookie: 1234567',
  };
  assert.deepEqual(secretsIn(raw), []);
  assert.ok(secretsIn({ headers: 'X-Token: 12345678' }).includes('12345678'));
});

test('a header is secret if its name says so', () => {
  const secret = ['Authorization', 'COOKIE', 'X-Access-Token', 'Client-Secret', 'DB_PASSWORD'];
  const keys = ['X-Api-Key', 'OPENAI_API_KEY', 'apikey'];
  for (const name of [...secret, ...keys]) assert.ok(isSecretHeader(name), name);
  for (const name of ['X-Cache-Key', 'X-Token-Kind', 'Set-Cookie-Name'])
    assert.ok(!isSecretHeader(name), name);
});

test('an ID, a token or an API key that is empty or null is rejected, since its secret may be missing', () => {
  const words = 'is empty or null. Check the name of the secret';
  for (const input of ['sandbox-id', 'token'])
    rejects(input, sameMessage(['', ' \n', 'null', 'undefined'], words));
  rejects('api-key', sameMessage(['', 'null'], words), SANDBOX);
});

test('a token that is an API key, too short, or has a space, a brace or a quotation mark, is rejected', () => {
  rejects('token', sameMessage(['e2b_0123456789abcdef', 'sk_e2b_01234567'], 'is an API key.'));
  const noTokens = ['Bearer abc', '${{ secrets.TOKEN }}', '{TOKEN}', 'a\tb', '"abc"', '$TOKEN'];
  const words = 'begins with a quotation mark, $ or secrets., or has a space, a brace or another';
  rejects('token', sameMessage(noTokens, words));
  rejects('token', sameMessage(['e', '1234567'], 'is too short'));
  accepts('token', { '12345678': '12345678' });
});

test('a target with a variable that is not expanded, or in quotation marks, is rejected', () => {
  const notExpanded = 'contains a variable that is not expanded here.';
  const whole = ['${{ steps.x.outputs.y }}', '$TOKEN', '$(pwd)', '$env:HOME'];
  const parts = ['a/$GITHUB_SHA', '{{ env.X }}/app'];
  rejects('target', sameMessage([...whole, ...parts], `% ${notExpanded}`));
  rejects('target', { '"i1a2"': 'is in quotation marks.' });
  rejects('files', { 'a => $BUILD/b': `line 1: "$BUILD/b" ${notExpanded}` });
});

test('a target with a comment, or below a home folder that it need not name, is rejected', () => {
  rejects('target', sameMessage(['app # the build'], '% has a # in it.'));
  const homes = ['home/user/app', '~bob', '$HOME/app', '${HOME}/x'];
  rejects('target', sameMessage(homes, '% starts below the user'));
  accepts('target', { 'app/home/x': 'app/home/x', home: 'home', '~/app': '~/app', '~': '~' });
});

test('a ** beside other characters and a .. after a wildcard are rejected', () => {
  const inside = ['src/**.py', 'a**', 'a/b**c/d', '***/a'];
  rejects('files', sameMessage(inside, '% has a ** beside other characters'));
  const climbing = ['**/package.json/..', 'a*/../b', 'a/[b]/..', '!dist/*/../x'];
  rejects('files', sameMessage(climbing, 'has a .. after a wildcard.'));
});
