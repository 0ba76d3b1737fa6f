/** Replaces every secret in a text by `***`. */
export type Redact = (text: string) => string;

// Masking "v1" would garble every path that contains it.
const MIN_LENGTH = 8;

/** Tells if a value that nobody declared as secret is long enough to be masked. */
export function isMaskable(value: string): boolean {
  return value.length >= MIN_LENGTH;
}

/** Makes a `Redact` that finds secrets as they are, percent-encoded, and in base64. */
export function redactor(secrets: readonly string[]): Redact {
  const forms = secrets.filter(secret => secret !== '').flatMap(formsOf);
  // Longest first, so that no remainder of a longer form stays behind.
  const ordered = [...new Set(forms)].sort((one, other) => other.length - one.length);
  return text => ordered.reduce((clean, form) => clean.replaceAll(form, '***'), text);
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [secret, encodeURIComponent(secret.toWellFormed()), base64, bytes.toString('base64url')];
}
