import { accepts, rejects, sameMessage } from '../support/parse-inputs.ts';

const action = 'sandbox';

accepts(
  'create-options',
  {
    '': {},
    ' {} ': {},
    '{"allow_internet_access": false}': { allow_internet_access: false },
    '{"network": {"timeout": 1}}': { network: { timeout: 1 } },
  },
  { action },
);
const others = ['{', 'a: 1', '[]', '"{}"', 'null', 'true', '{"a": 1} {}'];
rejects('create-options', sameMessage(others, 'is not a JSON object.'), { action });
for (const field of ['templateID', 'timeout', 'metadata', 'envVars', 'secure', 'autoPause'])
  rejects(
    'create-options',
    {
      [`{"a": 1, "${field}": "b"}`]: `has "${field}". Leave it out: template, lifetime, metadata,`,
    },
    { action },
  );
