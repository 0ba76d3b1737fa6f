import { statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { unreadable } from '../../../src/agent/body.ts';
import { AgentError } from '../../../src/agent/failure.ts';
import { checkOpened } from '../../../src/agent/opened.ts';
import { InputError } from '../../../src/inputs/parse.ts';
import { forget, remember } from '../../../src/run/remembering.ts';
import { discover } from '../../../src/upload/discover.ts';
import { plan } from '../../../src/upload/plan.ts';
import { encodeState } from '../../../src/upload/state.ts';
import { readState, type StateFile } from '../../../src/upload/state-file.ts';
import { openWorld } from '../../action/harness.ts';
import { parsed } from '../../inputs/given.ts';
import { badName, type Entries, fifo, link, plant } from '../../upload/tree.ts';
import { failure, refusal, run, type Seen, type Situations, thrownBy, together } from './seen.ts';

const SCOPE = { sandboxId: 'one', baseUrl: 'https://h', username: '', shard: '' };

/** What the runner's files and folders can be like. */
export const PLACES: Situations = {
  'patterns without a file': () =>
    planned({ 'd/.env': 'x', 'l/l': link('nowhere') }, [
      'nothing',
      'd/**',
      '{a,b}',
      '[id].tsx',
      'a=>b',
      'a #b',
      'l/**',
    ]),
  'two files for one target': () => planned({ 'a/x': '1', 'b/x': '2' }, ['a/*', 'b/*']),
  'very many files for the targets of others': () => {
    const names = Array.from({ length: 12 }, (_, index) => `f${index}`);
    const files = names.flatMap(name => [`a/${name}`, `b/${name}`]);
    return planned(Object.fromEntries(files.map(name => [name, name])), ['a/*', 'b/*']);
  },
  'a file for a folder': () => planned({ a: '1', 'b/x': '2' }, ['a => t', 'b/x => t/x']),
  'a link that leads out': () => planned({ l: link('/'), x: link('/etc/hosts') }, ['l', 'x']),
  'what is no file': () =>
    planned({ 'x/a': '1', 'x/l': link('nowhere'), 'x/m': link('nowhere'), 'x/p': fifo }, ['x/**']),
  'one broken link': () => planned({ 'x/a': '1', 'x/l': link('nowhere') }, ['x/**']),
  'a working directory that is not there': () => planned({}, ['a'], 'nowhere'),
  'a folder that cannot be searched': () => planned({ a: '1' }, [`${'x'.repeat(300)}/**`]),
  'a name that is no text': () => planned({ 'd/bad': badName }, ['d/**']),
  'a name that is half a character': () => planned({ 'd/a': '1' }, ['d/a => x\ud800']),
  'a file that becomes shorter': async () => {
    await using world = await openWorld({ files: { 'a.bin': Buffer.alloc(48 * 1024 * 1024) } });
    const onRequest = () => truncateSync(path.join(world.workspace, 'a.bin'), 1024);
    return await run(world, { retries: '0' }, { onRequest });
  },
  'a file that was replaced': () => {
    using tree = plant({ a: '1', b: '2', d: link('.') });
    const opened = [
      () => checkOpened(tree.at('a'), statSync(tree.at('b'))),
      () => checkOpened(tree.at('a'), statSync(tree.root)),
      () => checkOpened(tree.at('d/a'), statSync(tree.at('a'))),
      () => statSync(tree.at('gone')),
    ];
    return together(opened.map(act => thrownBy(() => readable(tree.at('gone'), act))));
  },
  'state files of others': () => {
    using tree = plant({
      damaged: '{',
      newer: '{"schema":9}',
      other: encodeState({ ...SCOPE, sandboxId: 'two' }, new Map()),
      long: mkLong,
    });
    const states = ['damaged', 'newer', 'other', 'long'].map(name => readState(stateAt(tree.at(name))));
    return { messages: states.flatMap(({ warnings }) => warnings) };
  },
  'state files that cannot be kept': () => {
    using tree = plant({ file: 'x', 'state.json.new/x': 'x' });
    const state = { file: stateAt(tree.at('state.json')), entries: new Map() };
    const refused = [
      () => readState(stateAt(tree.root)),
      () => readState(stateAt(tree.at('file/state.json'))),
      () => forget(state, []),
    ].map(thrownBy);
    return together([...refused, { messages: remember(state, []) }]);
  },
};

function stateAt(file: string): StateFile {
  return { path: file, scope: SCOPE };
}

/** More than a state file may have, without taking the space. */
function mkLong(file: string): void {
  writeFileSync(file, '');
  truncateSync(file, 64 * 1024 * 1024 + 1);
}

function readable(file: string, act: () => unknown): void {
  try {
    act();
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** What is said of the lines of `files` in a workspace: what is wrong, or else the warnings. */
async function planned(entries: Entries, lines: readonly string[], workingDirectory = ''): Promise<Seen> {
  using tree = plant(entries);
  const { upload } = parsed({ files: lines.join('\n'), 'working-directory': workingDirectory });
  const cancel = new AbortController().signal;
  const options = { ...upload, workspace: tree.root, cancel };
  try {
    const matches = await discover(upload.rules, options);
    return { messages: plan(matches, options).warnings };
  } catch (error) {
    if (error instanceof InputError) return refusal(error);
    if (error instanceof AgentError) return failure(error);
    throw error;
  }
}
