import type { OpenedConnection } from '../agent/connections.ts';
import type { EndedRequest } from '../agent/watch.ts';
import { exactly } from '../gate/exact-number.ts';
import type { MonitorRecord } from '../monitor/record.ts';
import { formatFigure } from '../report/figures.ts';
import type { Fact } from '../run/fact.ts';
import type { Stats } from '../stats/decode.ts';
import { formatCount, formatDuration, formatNumber } from '../text/units.ts';
import type { Matches } from '../upload/discover.ts';
import type { LevelChange } from '../upload/level.ts';
import { dueFiles, type Selection } from '../upload/selection.ts';
import type { DebugLog } from './debug.ts';

// Failures say more than the rest; but where everything fails, the first thousand say it all.
const MAX_OF_A_KIND = 200;
const MAX_FAILURES = 1000;

const MAX_FIGURES = 30;
const MAX_GAPS = 20;
const MAX_CAUSES = 5;

/** Writes facts into the debug log, as far as there are not too many of a kind; `end` says how many there were beyond. */
export function factLog(debug: NonNullable<DebugLog>): { fact: (fact: Fact) => void; end: () => void } {
  const counts = new Map<string, number>();
  return {
    fact(fact) {
      const name = nameOf(fact);
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      if (count <= limitOf(name)) debug(...linesOf(fact));
    },
    end() {
      for (const [name, count] of counts) {
        const rest = count - limitOf(name);
        if (rest > 0) debug(`Not shown: ${formatCount(rest, `further ${name}`)}`);
      }
    },
  };
}

const NAMES: Readonly<Record<Fact['kind'], string>> = {
  search: 'search',
  plan: 'plan',
  state: 'state file',
  connection: 'connection',
  request: 'request',
  level: 'level change',
  shared: 'shared request',
  reading: 'reading',
  record: 'record',
};

const FAILED = 'failed request';

function nameOf(fact: Fact): string {
  const hasFailed = fact.kind === 'request' && fact.request.error !== undefined;
  return hasFailed ? FAILED : NAMES[fact.kind];
}

function limitOf(name: string): number {
  return name === FAILED ? MAX_FAILURES : MAX_OF_A_KIND;
}

function linesOf(fact: Fact): readonly string[] {
  switch (fact.kind) {
    case 'search':
      return [...fact.matches.map(patternLine), `Search: took ${formatDuration(fact.durationMs)}`];
    case 'plan':
      return [planLine(fact.selection)];
    case 'state':
      return [stateLine(fact)];
    case 'connection':
      return [connectionLine(fact.connection)];
    case 'request':
      return [requestLine(fact.request), ...causeLines(fact.request.error)];
    case 'level':
      return [levelLine(fact.change)];
    case 'shared':
      return [sharedLine(fact)];
    case 'reading':
      return [readingLine(fact.stats)];
    case 'record':
      return recordLines(fact.record);
  }
}

function patternLine({ pattern: { pattern }, root, files, leftOut, hidden }: Matches): string {
  const counts = `${formatCount(files.length, 'file')}, ${formatNumber(leftOut.length)} left out`;
  const passedOver = hidden === 0 ? '' : `, ${formatNumber(hidden)} hidden`;
  return `Pattern ${JSON.stringify(pattern)}: searched from ${root}, ${counts}${passedOver}`;
}

function planLine(selection: Selection): string {
  const { files, unchanged, leftOut, elsewhere } = selection;
  const due = dueFiles(selection);
  const bytes = due.reduce((sum, { size }) => sum + size, 0);
  const toSend = `${formatCount(due.length, 'file')}, ${formatCount(bytes, 'byte')} to send`;
  const rest = `${formatNumber(unchanged.size)} unchanged, ${formatNumber(elsewhere.length)} of other shards`;
  return `Plan: ${formatCount(files.length, 'file')}; ${toSend}; ${rest}, ${formatNumber(leftOut.length)} left out`;
}

function stateLine({ path, read, unchanged }: Extract<Fact, { kind: 'state' }>): string {
  return `State file ${path}: ${formatNumber(read)} entries read, ${formatCount(unchanged, 'file')} unchanged`;
}

function connectionLine({ family = 'unknown', tls = 'no TLS' }: OpenedConnection): string {
  return `Connection: opened, ${family}, ${tls}`;
}

function requestLine({ method, path, status, error, durationMs, sentBytes }: EndedRequest): string {
  const sent = method === 'GET' ? '' : `, ${formatCount(sentBytes, 'byte')} sent`;
  const why = error === undefined ? '' : `: ${error.kind}. ${error.message}`;
  return `${method} ${path} → ${status ?? 'no answer'} in ${formatDuration(durationMs)}${sent}${why}`;
}

/** What lies behind a failure, the nearest first. */
function causeLines(error: Error | undefined): string[] {
  const lines: string[] = [];
  for (let at = error?.cause; at instanceof Error && lines.length < MAX_CAUSES; at = at.cause) {
    const code = 'code' in at ? ` ${String(at.code)}` : '';
    const others = at instanceof AggregateError ? ` ${at.errors.map(String).join('; ')}` : '';
    lines.push(`- because of ${at.name}${code}: ${at.message}${others}`);
  }
  return lines;
}

function levelLine({ from, to, error }: LevelChange): string {
  const why = error === undefined ? 'the transfer became faster' : `a sign of overload, ${reasonOf(error)}`;
  return `Uploads at once: ${from} → ${to}, ${why}`;
}

function reasonOf({ status, kind }: NonNullable<LevelChange['error']>): string {
  return status === undefined ? kind : `status ${status}`;
}

function sharedLine({ files, outcomes }: Extract<Fact, { kind: 'shared' }>): string {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const notSent = outcomes.filter(outcome => outcome === 'not-sent').length;
  const stored = outcomes.length - notSent;
  const what = `${formatCount(files.length, 'file')}, ${formatCount(bytes, 'byte')}`;
  return `Shared request: ${what}; ${formatNumber(stored)} stored, ${formatNumber(notSent)} not sent`;
}

function readingLine({ figures }: Stats): string {
  const first = [...figures].slice(0, MAX_FIGURES);
  return `Reading: ${first.map(([name, figure]) => `${name} ${formatFigure(name, exactly(figure))}`).join(', ')}`;
}

function recordLines({ samples, gaps, end }: MonitorRecord): string[] {
  const rest = gaps.length - MAX_GAPS;
  return [
    `Monitor: ${formatCount(samples.length, 'sample')}, ${formatCount(gaps.length, 'failed reading')}`,
    ...gaps.slice(0, MAX_GAPS).map(({ at, what }) => `- ${new Date(at).toISOString()}: ${what}`),
    ...(rest > 0 ? [`Not shown: ${formatCount(rest, 'further failed reading')}`] : []),
    `Monitor: ended at ${end === undefined ? 'a time unknown' : `${new Date(end.at).toISOString()}: ${end.what}`}`,
  ];
}
