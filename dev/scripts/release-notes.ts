import { readFileSync } from 'node:fs';
import path from 'node:path';

// Prints the changelog of the version that a tag such as v1.2.3 names. Fails if the tag cannot be
// released.

/**
 * A version's section of the changelog, without the heading. @throws Error if it is missing, empty
 * or undated
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m);
  const section = sections.find(each => each.startsWith(`[${version}]`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section ## [${version}]`);
  const [heading = '', ...lines] = section.split('\n');
  if (!/ - \d{4}-\d{2}-\d{2}$/.test(heading))
    throw new Error(`CHANGELOG.md has no date of release in the heading ## ${heading}`);
  const notes = lines.join('\n').trim();
  if (notes === '') throw new Error(`CHANGELOG.md tells nothing of ${version}`);
  return notes;
}

/** The version in a tag. @throws Error if package.json has another */
export function versionOf(tag: string, packageFile: string): string {
  const { version }: { version?: string } = JSON.parse(packageFile);
  if (tag === `v${version}`) return tag.slice(1);
  throw new Error(`The tag ${tag} does not name version ${version}, the one in package.json`);
}

if (import.meta.main) {
  const read = (file: string) =>
    readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8');
  const [tag = ''] = process.argv.slice(2);
  console.log(releaseNotes(read('CHANGELOG.md'), versionOf(tag, read('package.json'))));
}
