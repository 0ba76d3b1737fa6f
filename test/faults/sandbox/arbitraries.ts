import fc from 'fast-check';
import { ESCAPED, TEXTS } from './texts.ts';

/** A token that needs escaping in every encoding. */
export const SECRET = 'zq-7"\\tok/en+=%41&<é>~?>';

/** Spellings of a secret that could be left behind. */
export function spellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}

const SPELLINGS = spellings(SECRET);

/** Text that tries to do harm. */
const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...Object.values(TEXTS), ESCAPED) },
      { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('\ud800', '\udfff', '::', '##[', '<', '&', '`', '\n\n', '%0A'),
      },
      { weight: 2, arbitrary: fc.constantFrom(...SPELLINGS) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('x'.repeat(290), 'sandbox "x" not found ', ' '.repeat(700)),
      },
    ),
    { maxLength: 4 },
  )
  .map(parts => parts.join(''));

const METRIC_NAMES = [
  'ts',
  'cpu_count',
  'cpu_used_pct',
  'mem_total',
  'mem_used',
  'mem_used_mib',
  'disk_total',
];

const name = fc.oneof(
  fc.constantFrom(
    ...METRIC_NAMES,
    'disk_used',
    'gpu_used',
    'path',
    'name',
    'type',
    'message',
    'error',
  ),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'toJSON', 'length', '', '0'),
  hostileText,
);

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
  fc.constantFrom(
    '-0',
    '0.0',
    '1e400',
    '-1e400',
    '1e-400',
    '4.0',
    '4e9',
    '9223372036854775808',
    '5e-324',
  ),
  fc.nat({ max: 400 }).map(digits => `1${'0'.repeat(digits)}`),
  fc.nat({ max: 400 }).map(digits => `0.${'3'.repeat(digits + 1)}`),
);

const leaf = fc.oneof(
  number,
  hostileText.map(text => JSON.stringify(text)),
  fc.constantFrom('null', 'true', '""', '[]', '{}', 'NaN', '1.', "'x'", '"file"'),
);

/** JSON text by its grammar, with duplicate keys and a few invalid parts. */
const { json } = fc.letrec<{ json: string }>(tie => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('json'), { maxLength: 4 }).map(items => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(name, tie('json')), { maxLength: 6 })
      .map(
        fields => `{${fields.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`,
      ),
  ),
}));

const stats = fc
  .array(
    fc.tuple(name, fc.oneof({ weight: 3, arbitrary: number }, { weight: 1, arbitrary: json })),
    {
      maxLength: 12,
    },
  )
  .map(fields => `{${fields.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`);

const entry = fc
  .record({
    path: hostileText,
    name: fc.constantFrom('a.txt', 'a.txt', 'b.txt'),
    more: json,
    twice: name,
  })
  .map(({ path, name: named, more, twice }) => {
    const text = `{"metadata":${more},${JSON.stringify(twice)}:1,"path":${JSON.stringify(path)}`;
    return `${text},"name":"${named}","type":"file"}`;
  });

const deep = fc
  .tuple(fc.nat({ max: 30_000 }), fc.constantFrom('[', '{"a":', '[{"message":'))
  .map(([depth, open]) => {
    const close = open.replace(/[^[{]/g, '').replaceAll('[', ']').replaceAll('{', '}');
    const reversed = Array.from(close).reverse().join('');
    return `${open.repeat(depth)}1${reversed.repeat(depth)}`;
  });

/** Removes, doubles or replaces one piece of a text. */
function mutated(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(texts, fc.nat(), fc.nat({ max: 8 }), hostileText)
    .map(([text, at, length, put]) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + put + text.slice(from + length);
    });
}

/** The text of an answer, whatever its status. */
const hostileAnswer: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: stats },
  { weight: 4, arbitrary: entry },
  { weight: 4, arbitrary: json },
  { weight: 3, arbitrary: mutated(fc.oneof(stats, entry)) },
  { weight: 2, arbitrary: hostileText },
  {
    weight: 2,
    arbitrary: fc.uint8Array({ maxLength: 200 }).map(data => new TextDecoder().decode(data)),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 400 }) },
  {
    weight: 1,
    arbitrary: fc.oneof({ weight: 40, arbitrary: hostileText }, { weight: 1, arbitrary: deep }),
  },
);

/** A status of one file alone, whatever the words. */
const status = fc.oneof(
  { weight: 3, arbitrary: fc.constant(200) },
  { weight: 1, arbitrary: fc.constantFrom(301, 400, 408, 409, 413, 418, 429, 500, 503) },
);

// Without a minute's pause, which all files would wait for.
const retryAfter = fc.oneof(
  hostileText.map(text => text.replace(/[^\t\x20-\x7e]/g, '')),
  fc.constantFrom('1', '-1', '1e9', 'NaN', '0x10'),
);

/** An answer to one request. */
export interface HostileAnswer {
  readonly text: string;
  readonly status: number;
  readonly retryAfter: string;
}

/** Random answers, the same for the same seed. */
export function hostileAnswers(seed: number, numRuns: number): HostileAnswer[] {
  return fc.sample(fc.record({ text: hostileAnswer, status, retryAfter }), { seed, numRuns });
}
