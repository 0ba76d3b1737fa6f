import { readFile } from 'node:fs/promises';
import { mapping, text } from '../runner/yaml.ts';
import { conclude, linesOf, variable } from './variables.ts';

// Compares the files of the agent in SANDBOX with the lines of EXPECTED: `path = local file`, or
// `no path`.

const sandbox = mapping(JSON.parse(variable('SANDBOX')));
const findings = await Promise.all(linesOf('EXPECTED').map(findingsOf));
conclude(findings.flat(), `As expected: ${findings.length} of ${findings.length}.`);

async function findingsOf(line: string): Promise<string[]> {
  const [, name = '', source] = /^(?:no )?(.*?)(?: = (.*))?$/.exec(line) ?? [];
  const answer = await download(name);
  if (answer.status === 404) return source === undefined ? [] : [`${name} is not there`];
  const stored = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200)
    return [`${name} cannot be read: ${answer.status} ${stored.toString()}`];
  if (source === undefined) return [`${name} is there and should not be`];
  return stored.equals(await readFile(source)) ? [] : [`${name} is not what ${source} is`];
}

function download(name: string): Promise<Response> {
  const url = text(sandbox['url']);
  const prefix = text(sandbox['header-prefix']);
  return fetch(`${url}/files?path=${encodeURIComponent(name)}`, {
    headers: {
      Accept: 'application/json',
      'X-Access-Token': text(sandbox['token']),
      [`${prefix}-Sandbox-Id`]: text(sandbox['id']),
      [`${prefix}-Sandbox-Port`]: '49983',
    },
  });
}
