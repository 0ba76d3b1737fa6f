import { describe } from 'node:test';
import { each, refuses, takes } from './given.ts';

describe('an empty ID, token or key', () => {
  for (const input of ['sandbox-id', 'token'])
    refuses(input, each(['', ' \n', 'null', 'undefined'], 'is empty or null. Check the `id`'));
  refuses('api-key', each(['', 'null'], 'is empty. Check the name of the secret.'), {
    entry: 'sandbox',
  });
});

describe('a value of another kind', () => {
  refuses('token', each(['e2b_0123456789abcdef', 'sk_e2b_01234567'], 'is an API key.'));
  const hosts = ['https://x.io/a', 'wss://a', '49983-abc.e2b.app', 'sandbox.example.com:443'];
  refuses('sandbox-id', each(hosts, '% is a URL or a host name. Give only the ID.'));
});

describe('what the runner or a shell would have to evaluate', () => {
  const notEvaluated = 'contains a literal `${{`';
  const braces = 'is an expression without its braces.';
  const shell = 'begins with a variable of a shell';
  for (const input of ['sandbox-id', 'token', 'base-url', 'target']) {
    refuses(input, {
      '${{ steps.x.outputs.y }}': notEvaluated,
      '"i1a2"': 'is in quotation marks.',
      "'i1a2'": 'is in quotation marks.',
      $TOKEN: shell,
      '${HOME}/x': shell,
      '$(pwd)': shell,
      '$env:HOME': shell,
    });
  }
  for (const input of ['sandbox-id', 'token', 'base-url'])
    refuses(input, each(['secrets.TOKEN', 'steps.box.outputs.id'], braces));
  for (const input of ['api-key', 'api-url'])
    refuses(input, { '${{ x }}': notEvaluated, 'secrets.KEY': braces }, { entry: 'sandbox' });
  refuses('files', {
    'a\n${{ env.DIST }}/**': `line 2: "\${{ env.DIST }}/**" ${notEvaluated}`,
    '!$GITHUB_WORKSPACE/dist': `line 1: "$GITHUB_WORKSPACE/dist" ${shell}`,
    'a => $HOME/b': `line 1: the target "$HOME/b" ${shell}`,
  });
});

describe('an exclude that would exclude nothing', () => {
  const lines = ['!**/*.{map,env}', '!a/+(b|c)', '!a.txt, !b.txt', '!a.env # secret'];
  for (const line of lines) refuses('files', { [`dist/**\n${line}`]: 'has braces, parentheses' });
  takes('files', {
    '**\n!a{b}/*': { patterns: [{ pattern: '**' }], excludes: ['a{b}/*'] },
  });
});

describe('header-prefix', () => {
  takes('header-prefix', { '': 'Svc', E2b: 'E2b', Acme: 'Acme' });
  const more = ['E2b-', 'E2b-Sandbox-Id', 'e2b-sandbox-port', 'X-E2b'];
  refuses('header-prefix', each(more, '% is more than the prefix.'));
  for (const url of ['https://sandbox.e2b.app', 'https://sandbox.E2B.dev:443/']) {
    const given = { 'base-url': url };
    refuses('header-prefix', each(['', 'Svc'], "must be E2b, since base-url is E2B's."), { given });
    takes('header-prefix', { E2b: 'E2b' }, { given });
  }
  const routed = ['https://49983-{sandbox-id}.e2b.app', 'https://x.io/sandbox.e2b.app'];
  for (const url of routed) takes('header-prefix', { '': 'Svc' }, { given: { 'base-url': url } });
});

describe('target', () => {
  refuses('target', each(['home/user/app', '~', '~/app', '~bob'], '% starts below the user'));
  takes('target', { 'app/home/x': 'app/home/x', home: 'home' });
});

describe('files', () => {
  const lists = ['- dist/**', '["dist/**"]', "[ 'a', 'b' ]", 'a/**, b', 'a/** b/**', '*.js, *.css'];
  refuses('files', each([...lists, 'dist/** -> app'], 'is a list, or several patterns.'));
  const inside = ['src/**.py', 'a**', 'a/b**c/d', '***/a', 'a/**=>b'];
  refuses('files', each(inside, '% has a ** beside other characters'));
  refuses('files', each(['*a*b*c*', 'x/*-*-*-*.js/y'], '% has more than three * in one name.'));
});
