import { test } from 'node:test';
import { accepts, rejects, sameMessage } from '../support/parse-inputs.ts';

const SANDBOX = { action: 'sandbox' } as const;

test('an ID, a token or an API key that is empty or null is rejected, since its secret may be missing', () => {
  const words = 'is empty or null. Check the name of the secret';
  for (const input of ['sandbox-id', 'token'])
    rejects(input, sameMessage(['', ' \n', 'null', 'undefined'], words));
  rejects('api-key', sameMessage(['', 'null'], words), SANDBOX);
});

test('a token that is an API key, or has a space or a brace, is rejected', () => {
  rejects('token', sameMessage(['e2b_0123456789abcdef', 'sk_e2b_01234567'], 'is an API key.'));
  const noTokens = ['Bearer abc', '{{ secrets.TOKEN }}', '{TOKEN}', 'a\tb'];
  rejects('token', sameMessage(noTokens, 'has a space or a brace, which no token has.'));
});

test('a value with a variable that is not expanded, or in quotation marks, is rejected', () => {
  const notExpanded = 'contains a variable that is not expanded here.';
  const everywhere = ['${{ steps.x.outputs.y }}', '$TOKEN', '$(pwd)', '$env:HOME'];
  for (const input of ['sandbox-id', 'token', 'base-url', 'target']) {
    rejects(input, sameMessage(everywhere, notExpanded));
    rejects(input, sameMessage(['"i1a2"', "'i1a2'"], 'is in quotation marks.'));
  }
  for (const input of ['api-key', 'api-url']) rejects(input, { '${{ x }}': notExpanded }, SANDBOX);
  const inTargets = ['releases/$GITHUB_SHA', '{{ env.DIRECTORY }}/app'];
  rejects('target', sameMessage(inTargets, `% ${notExpanded}`));
  rejects('files', { 'a => $BUILD/b': `line 1: the target "$BUILD/b" ${notExpanded}` });
});

test('a target with a comment, or below a home folder that it need not name, is rejected', () => {
  rejects('target', sameMessage(['app # the build'], '% has a # in it.'));
  const homes = ['home/user/app', '~', '~/app', '~bob', '$HOME/app', '${HOME}/x'];
  rejects('target', sameMessage(homes, '% starts below the user'));
  accepts('target', { 'app/home/x': 'app/home/x', home: 'home' });
});

test('a ** beside other characters and a .. after a wildcard are rejected', () => {
  const inside = ['src/**.py', 'a**', 'a/b**c/d', '***/a'];
  rejects('files', sameMessage(inside, '% has a ** beside other characters'));
  const climbing = ['**/package.json/..', 'a*/../b', 'a/[b]/..', '!dist/*/../x'];
  rejects('files', sameMessage(climbing, '% has a .. after a wildcard.'));
});
