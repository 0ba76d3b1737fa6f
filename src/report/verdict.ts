import { type Report, viewsOf } from './report.ts';
import type { ReportedError } from './reported-error.ts';
import type { Reason, SectionView } from './section-view.ts';

/** Combines the views of all sections into the outcome of the step. */
export interface Verdict
  extends Pick<SectionView, 'reasons' | 'failures' | 'warnings' | 'notices'> {
  readonly level: SectionView['level'] | 'cancelled';
  readonly title: string;
  readonly sections: readonly SectionView[];
}

export function verdictOf(report: Report): Verdict {
  const sections = viewsOf(report);
  return {
    level: verdictLevel(report, sections),
    title: titleOf(report, sections),
    reasons: [
      ...report.errors.flatMap(describeError),
      ...sections.flatMap(section => section.reasons),
    ],
    failures: sections.flatMap(section => section.failures),
    warnings: [...sections.flatMap(section => section.warnings), ...report.warnings.map(untrusted)],
    notices: sections.flatMap(section => section.notices),
    sections,
  };
}

export function succeeded({ level }: Verdict): boolean {
  return level === 'success' || level === 'warning';
}

function verdictLevel(
  { cancelled, errors }: Report,
  sections: readonly SectionView[],
): Verdict['level'] {
  if (cancelled) return 'cancelled';
  const levels = sections.map(({ level }) => level);
  if (errors.length > 0 || levels.includes('failure')) return 'failure';
  return levels.includes('warning') ? 'warning' : 'success';
}

// Puts the cause first, then what was done, then what passed.
function titleOf({ cancelled, errors }: Report, sections: readonly SectionView[]): string {
  const titles = errors.map(({ title }) => title ?? '');
  const headline = sections[0]?.headline ?? '';
  const judgementsIf = (isGood: boolean) =>
    sections.flatMap(({ level, judgement }) => ((level === 'success') === isGood ? judgement : []));
  const sentences = [
    cancelled ? 'Cancelled.' : '',
    ...new Set(titles),
    ...judgementsIf(false),
    headline === '' ? '' : `${headline}.`,
    ...judgementsIf(true),
  ];
  return sentences.filter(sentence => sentence !== '').join(' ');
}

/** Describes an error, leaving out what the title already says. */
function describeError({ message, title, details, advice = [] }: ReportedError): Reason[] {
  const [first, ...others] = [
    ...[message, ...details].filter(text => text !== title).map(untrusted),
    ...advice.map(text => ({ text, isUntrusted: false })),
  ];
  return first === undefined ? [] : [{ ...first, details: others }];
}

function untrusted(text: string): Reason {
  return { text, isUntrusted: true };
}
