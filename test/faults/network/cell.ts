import type { FaultAction } from '../../../local-agent/faults.ts';
import type { RawInputs } from '../../../src/inputs/parse.ts';
import type { Keys } from '../../action/proxy.ts';
import { type Front, openFront } from './front.ts';
import { type Contents, type OnWait, openPlace, type Place } from './place.ts';
import { LASTS, type Lasting, type Row } from './rows.ts';

/** The file that a fault hits, and the one that comes after it. */
export const HIT = 'hit';
export const NEXT = 'next';

export type Size = 'small' | 'streamed';

/** What a cell needs, beside its place, to be run. */
export interface Cell extends AsyncDisposable {
  readonly place: Place;
  readonly inputs: RawInputs;
  /** Repairs the way to the sandbox once the fault has lasted for so many waits. */
  readonly onWait: OnWait;
  /** Whether the fault can be told by the agent, so that every attempt reaches it. */
  readonly reachable: boolean;
}

/** What the cells share. */
export interface Shared {
  /** The certificate that is trusted, and one that is not. */
  readonly trusted: Keys;
  readonly unknown: Keys;
  /** The host names that can be found. */
  readonly names: Set<string>;
}

export function contentsFor({ streamed = 300 * 1024 }: Row, size: Size): Contents {
  const hit = Buffer.alloc(size === 'small' ? 40 : streamed, 'what is hit, byte for byte. ');
  return new Map([
    [HIT, hit],
    [NEXT, Buffer.from('what comes after it')],
  ]);
}

/** A place with the row's fault in the way of its first file. */
export async function openCell(row: Row, lasting: Lasting, size: Size, shared: Shared): Promise<Cell> {
  const contents = contentsFor(row, size);
  if (typeof row.fault === 'object') return agentCell(row.fault, lasting, contents);
  if (row.fault === 'refused') return await refusedCell(LASTS[lasting], contents);
  if (row.fault === 'no such name') return await namelessCell(LASTS[lasting], contents, shared.names);
  const wrong = row.fault === 'no TLS' ? {} : { tls: shared.unknown };
  return await tlsCell(LASTS[lasting], contents, { wrong, right: { tls: shared.trusted } });
}

async function agentCell(action: FaultAction, lasting: Lasting, contents: Contents): Promise<Cell> {
  const place = await openPlace(contents, {
    faults: [
      { on: 'upload', path: HIT, times: lasting === 'for ever' ? undefined : LASTS[lasting], do: action },
    ],
  });
  return cell(place, { reachable: true });
}

async function refusedCell(times: number, contents: Contents): Promise<Cell> {
  const place = await openPlace(contents);
  const front = await openFront(() => place.world.agent.url);
  const inputs = { 'base-url': `http://127.0.0.1:${front.port}` };
  return cell(place, { front, inputs, onWait: count => (count === times ? front.open() : undefined) });
}

let named = 0;

async function namelessCell(times: number, contents: Contents, names: Set<string>): Promise<Cell> {
  const place = await openPlace(contents);
  const name = `cell${++named}.sandbox.test`;
  const { port } = new URL(place.world.agent.url);
  const inputs = { 'base-url': `http://${name}:${port}`, 'allow-insecure-http': 'true' };
  return cell(place, { inputs, onWait: count => void (count === times && names.add(name)) });
}

interface Servers {
  readonly wrong: { readonly tls?: Keys };
  readonly right: { readonly tls: Keys };
}

async function tlsCell(times: number, contents: Contents, { wrong, right }: Servers): Promise<Cell> {
  const place = await openPlace(contents, right);
  const other = await openPlace(contents, wrong);
  const front = await openFront(count => (count <= times ? other : place).world.agent.url);
  await front.open();
  return cell(place, { front, other, inputs: { 'base-url': `https://127.0.0.1:${front.port}` } });
}

interface Parts extends Partial<Omit<Cell, 'place'>> {
  readonly front?: Front;
  readonly other?: Place;
}

function cell(
  place: Place,
  { front, other, inputs = {}, onWait = () => {}, reachable = false }: Parts,
): Cell {
  return {
    place,
    inputs,
    onWait,
    reachable,
    async [Symbol.asyncDispose]() {
      await front?.[Symbol.asyncDispose]();
      await other?.[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}
