import path from 'node:path';
import { formatBytes, formatCount, formatNumber, totalSize } from '../text/format.ts';
import type { FileResult } from '../transfer/transfer.ts';
import { code, folded, type Html, html, prose, shortList } from './html.ts';
import type { UploadSection } from './upload-section.ts';

export function uploadBlocks(
  { files, skipped, digest, dryRun }: UploadSection,
  notices: readonly string[],
  transferLine: readonly string[],
): Html[] {
  const planned = dryRun
    ? files.filter(({ status }) => status === 'skipped').map(({ file }) => file)
    : [];
  return [
    ...shortList(describeFolders(planned)),
    ...transferLine.map(line => html`<p>${line}</p>`),
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
