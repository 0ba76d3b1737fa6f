/** Replaces every secret in a text, as it is or in a common encoding, by `***`. */
export type Redact = (text: string) => string;

/** The runner masks secrets in its log alone: what reaches outputs, summary and report loses them where it comes in. */
export function redactor(secrets: readonly string[]): Redact {
  const forms = secrets.filter(secret => secret !== '').flatMap(encodings);
  // The longest first, so that no remainder of a longer form stays behind.
  const ordered = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return text => ordered.reduce((clean, form) => clean.replaceAll(form, '***'), text);
}

function encodings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    escaped,
    // JSON within JSON.
    JSON.stringify(escaped).slice(1, -1),
    bytes.toString('base64'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}
