import { readFileSync } from 'node:fs';
import path from 'node:path';

// Prints the changelog section of a version tag such as v1.2.3. Fails unless the tag matches
// package.json, and the section has a date and text.

const read = (file: string) => readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8');
const [tag = ''] = process.argv.slice(2);
const { version }: { version?: string } = JSON.parse(read('package.json'));
if (tag !== `v${version}`)
  throw new Error(`${tag} does not name version ${version} of package.json`);
const sections = read('CHANGELOG.md').split(/^## /m);
const section = sections.find(each => each.startsWith(`[${version}] - `)) ?? '';
const [, notes = ''] = /^\S+ - \d{4}-\d{2}-\d{2}\n\s*(\S.*?)\s*$/s.exec(section) ?? [];
if (notes === '') throw new Error(`CHANGELOG.md has no dated section with notes on ${version}`);
console.log(notes);
