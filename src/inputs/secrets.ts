import { splitHeader } from './connection.ts';
import type { RawInputs } from './parsers.ts';

const SECRET_INPUTS = ['token', 'signature', 'api-key'];

export function secretsIn(raw: RawInputs): string[] {
  const inputs = SECRET_INPUTS.map(name => (raw[name] ?? '').trim());
  const headers = (raw['headers'] ?? '').split('\n').flatMap(secretsInHeader);
  // Expressions without a result become these values; masking them would garble the log.
  return [...inputs, ...headers].filter(secret => !['', 'null', 'undefined'].includes(secret));
}

export function isSecretHeader(name: string): boolean {
  return /^(authorization|cookie)$|(token|secret|password|api[-_]?key)$/i.test(name);
}

// Masking a short value such as "v1" would garble every path that contains it.
const MIN_LENGTH = 8;

function secretsInHeader(line: string): string[] {
  const [name = '', content = ''] = splitHeader(line.trim()) ?? [];
  if (!isSecretHeader(name)) return [];
  // Services may quote credentials without the scheme in front, such as `Basic`.
  const credentials = content.replace(/^\S+\s+/, '');
  return [content, credentials].filter(secret => secret.length >= MIN_LENGTH);
}
