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
  const escaped = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(secret.toWellFormed());
  // Of the characters as text, and of the bytes that a header is sent with.
  const binary = [Buffer.from(secret), Buffer.from(secret, 'latin1')].flatMap(bytes => {
    const [base64, hex] = [bytes.toString('base64'), bytes.toString('hex')];
    return [base64, base64.replace(/=+$/, ''), bytes.toString('base64url'), hex, hex.toUpperCase()];
  });
  // JSON, also within JSON.
  const json = [escaped, JSON.stringify(escaped).slice(1, -1)];
  return [secret, percent, percent.replace(/%../g, code => code.toLowerCase()), ...json, ...binary];
}
