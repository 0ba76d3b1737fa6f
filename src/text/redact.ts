import { MAX_QUOTED } from './escape.ts';
import { isJson } from './json.ts';

export type Redact = (text: string) => string;

export function redactor(secrets: readonly string[]): Redact {
  // Messages about inputs only quote the start of a long value, so redact that, too.
  const starts = secrets.map(secret => secret.slice(0, MAX_QUOTED));
  const forms = [...secrets, ...starts].filter(secret => secret !== '').flatMap(encodingsOf);
  // Replace longer forms first, or parts of them would remain.
  const ordered = [...new Set(forms)].sort((one, other) => other.length - one.length);
  return text => ordered.reduce((clean, form) => clean.replaceAll(form, '***'), text);
}

// A secret may also come escaped: in quoted JSON, such as a proxy's error, or in a signed URL.
function encodingsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, encodeURIComponent(secret.toWellFormed())];
}

/**
 * Redacts secrets in all strings and keys of a JSON text, however they are escaped. Leaves numbers
 * as they are, even if they contain a secret made of digits. Returns '' if the text is not JSON.
 */
export function redactJson(text: string, redact: Redact): string {
  if (!isJson(text)) return '';
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, literal =>
    JSON.stringify(redact(String(JSON.parse(literal)))),
  );
}
