import { test } from 'node:test';
import { accepts, rejects, sameMessage } from '../support/parse-inputs.ts';

const action = 'sandbox';

test('create-options is a JSON object without what other inputs say', () => {
  const network = { network: { timeout: 1 } };
  accepts('create-options', { '': {}, ' {} ': {}, [JSON.stringify(network)]: network }, { action });
  const others = ['{', 'a: 1', '[]', '"{}"', 'null', 'true', '{"a": 1} {}'];
  rejects('create-options', sameMessage(others, 'is not a JSON object.'), { action });
  for (const field of ['templateID', 'timeout', 'metadata', 'envVars', 'secure', 'autoPause']) {
    const words = `has "${field}". Leave it out: template, lifetime, metadata,`;
    rejects('create-options', { [`{"a": 1, "${field}": "b"}`]: words }, { action });
  }
});
