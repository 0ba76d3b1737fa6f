import { text } from 'node:stream/consumers';
import { create } from '@actions/glob';

// A process of its own, since the library logs on standard output: reads lists of patterns as JSON from standard input,
// and writes the files that each list finds to standard error.
const lists: readonly (readonly string[])[] = JSON.parse(await text(process.stdin));
const found: (readonly string[])[] = [];
for (const list of lists) {
  const globber = await create(list.join('\n'), { matchDirectories: false });
  // It fails where a pattern leads through a file as if it were a directory, and has found nothing then.
  found.push(await globber.glob().catch(() => []));
}
process.stderr.write(JSON.stringify(found));
