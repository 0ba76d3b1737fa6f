import path from 'node:path';
import { formatBytes, formatCount, formatNumber, limitList, totalSize } from '../text/format.ts';
import type { FileResult } from '../transfer/transfer.ts';
import { code, concat, folded, type Html, html, moreInReport, prose, shortList } from './html.ts';
import type { FailureGroup } from './section-view.ts';
import type { UploadSection } from './upload-section.ts';

export function uploadBlocks(
  { files, skipped, digest, dryRun }: UploadSection,
  {
    failures,
    notices,
    transferLine,
  }: {
    readonly failures: readonly FailureGroup[];
    readonly notices: readonly string[];
    readonly transferLine: string;
  },
): Html[] {
  const planned = dryRun
    ? files.filter(({ status }) => status === 'skipped').map(({ file }) => file)
    : [];
  return [
    ...(failures.length === 0 ? [] : [html`<h4>What failed</h4>`]),
    ...shortList(failures.map(describeFailures)),
    ...shortList(describeFolders(planned)),
    ...(transferLine === '' ? [] : [html`<p>${transferLine}</p>`]),
    ...folded(formatCount(notices.length, 'notice'), shortList(notices.map(prose))),
    ...folded(
      `${formatNumber(skipped.length)} skipped`,
      shortList(skipped.map(entry => html`${code(entry.path)}: ${entry.reason}`)),
    ),
    ...folded(
      formatCount(planned.length, 'planned file'),
      shortList(planned.map(file => describeMove(file, formatBytes(file.size)))),
    ),
    ...(digest === '' ? [] : [html`<p>Digest: ${code(digest)}</p>`]),
  ];
}

const MAX_NAMES = 5;

function describeFailures({ message, hint, sources }: FailureGroup): Html {
  const files = sources.length > 1 ? html`${formatCount(sources.length, 'file')}: ` : html``;
  const more = (count: number) => html`${moreInReport(count)}`;
  const names = concat(limitList(sources.map(code), MAX_NAMES, more), ', ');
  return html`${code(message)}<br>${prose(hint)}<br>${files}${names}`;
}

function describeFolders(files: readonly FileResult['file'][]): Html[] {
  const folders = Map.groupBy(files, ({ source, target }) =>
    [source, target].map(file => path.posix.dirname(file)).join('\0'),
  );
  return [...folders].map(([names, inFolder]) => {
    const [source = '', target = ''] = names.split('\0');
    const count = formatCount(inFolder.length, 'file');
    return describeMove({ source, target }, `${count}, ${formatBytes(totalSize(inFolder))}`);
  });
}

function describeMove({ source, target }: { source: string; target: string }, size: string): Html {
  return html`${code(source)} → ${code(target)}: ${size}`;
}
