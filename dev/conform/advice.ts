import type { Result } from './check.ts';
import type { Connection } from './service.ts';

export interface Advice {
  /** Features, such as `upload`. */
  readonly works: readonly string[];
  readonly fails: readonly string[];
  /** The inputs of the action that need a value other than their default. */
  readonly inputs: Readonly<Record<string, string>>;
}

export function adviceOf(results: readonly Result[], connection: Connection): Advice {
  const failed = results.filter(({ verdict }) => verdict === 'no');
  const broken = new Set(failed.filter(result => result.isRequired).map(({ feature }) => feature));
  const features = [...new Set(results.map(({ feature }) => feature))];
  const { headerPrefix, username, uploadPath, statsPath, headers } = connection;
  const failsAt = (part: string) => failed.some(({ name }) => name.includes(part));
  // With the prefix E2b, the action sends batches, otherwise single files.
  const isBatching = /^E2b$/i.test(headerPrefix);
  return {
    works: features.filter(feature => !broken.has(feature)),
    fails: features.filter(feature => broken.has(feature)),
    inputs: {
      ...(headerPrefix !== 'Svc' && { 'header-prefix': headerPrefix }),
      ...(Object.keys(headers).length > 0 && { headers: Object.keys(headers).join(', ') }),
      ...(username !== undefined && { username }),
      ...(uploadPath !== '/files' && { 'upload-path': uploadPath }),
      ...(statsPath !== '/metrics' && { 'stats-path': statsPath }),
      ...(isBatching === failsAt('batch') && { 'files-per-request': isBatching ? '1' : '250' }),
      ...(failsAt('at once') && { concurrency: '2' }),
    },
  };
}
