import { type Check, type Checks, Differs, expectThat, type Trial } from './check.ts';

type Figures = Readonly<Record<string, number>>;

const MIB = 2 ** 20;
const DAY_S = 86_400;

/** Checks whether a figure is plausible in the unit that E2B's agent uses. */
const FIGURES: Readonly<Record<string, (value: number, all: Figures) => boolean>> = {
  ts: value => Number.isInteger(value) && Math.abs(value - Date.now() / 1000) < DAY_S,
  cpu_count: value => Number.isInteger(value) && value >= 1,
  cpu_used_pct: value => value >= 0 && value <= 100,
  mem_total: value => value >= 16 * MIB,
  mem_used: (value, { mem_total = 0 }) => value >= 0 && value <= mem_total,
  disk_total: value => value >= 16 * MIB,
  disk_used: (value, { disk_total = 0 }) => value >= 0 && value <= disk_total,
};

function isFigure(name: string, isPlausible: (value: number, all: Figures) => boolean): Check {
  return async trial => {
    const all = await readFigures(trial);
    const value = all[name];
    if (value === undefined) throw new Error('missing, or not a number');
    if (value === 0 && name.includes('total')) throw new Error('0, which means not reported');
    if (!isPlausible(value, all)) throw new Differs(`${value} is implausible`);
    return `${value}`;
  };
}

async function readFigures({ send, connection }: Trial): Promise<Figures> {
  const { status, text, body } = await send({ method: 'GET', path: connection.statsPath });
  if (status !== 200) throw new Error(`${status} ${text}`);
  const json: unknown = JSON.parse(body.toString());
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new Error(text);
  return Object.fromEntries(Object.entries(json).filter(([, value]) => typeof value === 'number'));
}

export const STATS_CHECKS: Checks = {
  required: {
    async 'an object of numbers'(trial) {
      const names = Object.keys(await readFigures(trial));
      return expectThat(names.length > 0, names.join(', '));
    },
  },
  others: Object.fromEntries(
    Object.entries(FIGURES).map(([name, isPlausible]) => [name, isFigure(name, isPlausible)]),
  ),
};
