/** Replaces every secret in a text, as it is or in a common encoding, by `***`. */
export type Redact = (text: string) => string;

// Masking "v1" would garble every path that contains it.
const MIN_LENGTH = 8;

/** Whether a value that was not declared as secret is long enough to be masked. */
export function isMaskable(value: string): boolean {
  return value.length >= MIN_LENGTH;
}

/** Makes a `Redact`: the runner only masks its log, not outputs, summary and report. */
export function redactor(secrets: readonly string[]): Redact {
  const forms = secrets.filter(secret => secret !== '').flatMap(encodingsOf);
  // Longest first, so that no remainder of a longer form stays behind.
  const ordered = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return text => ordered.reduce((clean, form) => clean.replaceAll(form, '***'), text);
}

function encodingsOf(secret: string): string[] {
  const percent = encodeURIComponent(secret.toWellFormed());
  const json = JSON.stringify(secret).slice(1, -1);
  const jsonInJson = JSON.stringify(json).slice(1, -1);
  const lowerPercent = percent.replace(/%../g, code => code.toLowerCase());
  // As UTF-8, and as the bytes that a header is sent with.
  const binary = [Buffer.from(secret), Buffer.from(secret, 'latin1')].flatMap(bytes => {
    const base64 = bytes.toString('base64');
    const hex = bytes.toString('hex');
    return [base64, base64.replace(/=+$/, ''), bytes.toString('base64url'), hex, hex.toUpperCase()];
  });
  return [secret, percent, lowerPercent, json, jsonInJson, ...binary];
}
