import { type Report, viewsOf } from './report.ts';
import type { FailureGroup, Line, SectionView } from './section-view.ts';

export interface Verdict {
  readonly level: 'success' | 'warning' | 'failure' | 'cancelled';
  readonly title: string;
  /** Why the step failed, except for failed files, which are in `failures`. */
  readonly reasons: readonly Line[];
  readonly failures: readonly FailureGroup[];
  readonly warnings: readonly Line[];
  readonly notices: readonly string[];
  readonly sections: readonly SectionView[];
}

export function verdictOf(report: Report): Verdict {
  const sections = viewsOf(report);
  const failures = sections.flatMap(section => section.failures);
  return {
    level: levelOf(report, sections),
    title: titleOf(report, sections),
    reasons: [
      ...sections.flatMap(section => section.reasons),
      ...errorLines(report, failures).map(untrusted),
    ],
    failures,
    warnings: [...sections.flatMap(section => section.warnings), ...report.warnings.map(untrusted)],
    notices: sections.flatMap(section => section.notices),
    sections,
  };
}

export function succeeded({ level }: Verdict): boolean {
  return level === 'success' || level === 'warning';
}

function levelOf(
  { cancelled, errors }: Report,
  sections: readonly SectionView[],
): Verdict['level'] {
  if (cancelled) return 'cancelled';
  const levels = sections.map(({ level }) => level);
  if (errors.length > 0 || levels.includes('failure')) return 'failure';
  return levels.includes('warning') ? 'warning' : 'success';
}

function titleOf({ cancelled }: Report, sections: readonly SectionView[]): string {
  const headline = `${sections[0]?.headline ?? ''}.`;
  const judgements = sections.map(({ judgement }) => judgement);
  const sentences = [cancelled ? 'Cancelled.' : '', headline, ...judgements];
  return sentences.filter(sentence => sentence !== '').join(' ');
}

function errorLines({ errors }: Report, failures: readonly FailureGroup[]): string[] {
  // The failed files already show these hints.
  const hints = new Set(failures.map(({ hint }) => hint));
  const lines = errors.flatMap(({ message, details }) => [message, ...details]);
  return lines.filter(line => !hints.has(line));
}

function untrusted(text: string): Line {
  return { text, isUntrusted: true };
}
