export type Redact = (text: string) => string;

/** Returns a function that masks secrets, whether verbatim, in JSON or percent-encoded. */
export function redactor(secrets: readonly string[]): Redact {
  const forms = secrets.filter(secret => secret !== '').flatMap(formsOf);
  // Replace longer forms first, so that no part of them remains.
  const ordered = [...new Set(forms)].sort((one, other) => other.length - one.length);
  return text => ordered.reduce((clean, form) => clean.replaceAll(form, '***'), text);
}

function formsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inUrl = encodeURIComponent(secret.toWellFormed());
  return [secret, inJson, inUrl];
}
