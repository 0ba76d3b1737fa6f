import { errorText, systemCode } from '../text/errors.ts';
import type { Redact } from '../text/redact.ts';
import { AgentError, excerpt } from './failure.ts';

interface NetworkRule {
  readonly code?: RegExp;
  readonly message?: RegExp;
  /** What failed. Behind a proxy, `connection` means the connection to the proxy. */
  readonly phase: 'connection' | 'handshake' | 'request';
  readonly words?: string;
  readonly hint?: string;
}

const NOT_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';
const CHECK_PORT =
  'Check the port in base-url. If there is no https, write http://; for another machine, set allow-insecure-http: true as well.';

// The first match counts. Errors of TLS that follow the handshake surface as ECONNRESET or
// UND_ERR_SOCKET. OpenSSL's verification codes have no common prefix, so match parts of them.
const NETWORK_RULES: readonly NetworkRule[] = [
  // Linux reports the codes of a failed connection, too, if an open one loses its route.
  { message: /^(read|write) E(HOST|NET)UNREACH/, phase: 'request' },
  { message: /^(Secure )?Proxy /i, phase: 'connection' },
  {
    code: /^ECONNREFUSED$/,
    phase: 'connection',
    hint: 'Nothing accepts connections there. Check the host and port of base-url, and that the service is up.',
  },
  {
    code: /^(ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_(CONNECT_TIMEOUT|PRX|SOCKS5))/,
    phase: 'connection',
  },
  {
    code: RegExp(NOT_TLS),
    phase: 'handshake',
    words: 'the port speaks http, not https',
    hint: CHECK_PORT,
  },
  {
    code: /CERT|^(UNABLE_TO_|HOSTNAME_MISMATCH)/,
    phase: 'handshake',
    hint: 'Check base-url. For a certificate of a private CA, NODE_EXTRA_CA_CERTS must name the file of the CA, which must exist where the step runs.',
  },
  { code: /^EPROTO|_TLS_|_SSL_/, phase: 'handshake' },
];

/**
 * Wraps network errors of undici and Node in an AgentError. Returns anything else as it is, to
 * surface as a bug. `proxyVariables` are the names of those that are set.
 */
export function networkFailure(
  error: unknown,
  label: string,
  redact: Redact,
  proxyVariables: readonly string[] = [],
): unknown {
  if (error instanceof AgentError || error instanceof TypeError || !(error instanceof Error))
    return error;
  const code = codeOf(error);
  if (code === undefined) return error;
  const rule = NETWORK_RULES.find(
    each => (each.code?.test(code) ?? true) && (each.message?.test(error.message) ?? true),
  );
  // This is a bug, unless a row of the table has recognized a proxy.
  if (rule === undefined && code === 'UND_ERR_INVALID_ARG') return error;
  const { phase, words = messageOf(error), hint }: NetworkRule = rule ?? { phase: 'request' };
  const text = excerpt(words, redact);
  const detail = text.includes(code) ? text : `${text} (${code})`;
  const hadNoEffect = phase !== 'request';
  const kind = hadNoEffect ? 'unreachable' : 'connection';
  const proxy = proxyVariables.join(', ');
  return new AgentError(kind, `${label} failed: ${detail}.`, {
    hint: (proxy && proxyHint(phase, detail, proxy)) || hint,
    hadNoEffect,
  });
}

function proxyHint(phase: NetworkRule['phase'], detail: string, variables: string): string {
  if (detail.includes(NOT_TLS))
    return `${CHECK_PORT} The URL of the proxy in ${variables} usually begins with http://, too.`;
  if (phase !== 'connection') return '';
  if (/\b407\b/.test(detail))
    return `The proxy in ${variables} requires a valid user and password. Write them into its URL, as in http://user:password@host:port.`;
  // Only undici knows which hosts NO_PROXY exempts.
  return `Check the proxy in ${variables}: is it up, and may it reach the host? If NO_PROXY exempts the host, check base-url, and that the service is up.`;
}

function codeOf(error: Error): string | undefined {
  // undici's HTTPParserError loses its code when bundled.
  const code = systemCode(error) ?? (error.name === 'HTTPParserError' ? error.name : undefined);
  return code ?? (error.cause instanceof Error ? codeOf(error.cause) : undefined);
}

function messageOf(error: Error): string {
  // If several addresses fail, only the inner errors have messages. Remove Node's tip about a
  // command-line flag, which an action cannot set.
  if (!(error instanceof AggregateError)) return error.message.replace(/; if the root CA .*/, '');
  return error.errors.map(errorText).join('; ');
}
