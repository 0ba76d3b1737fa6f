import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type TlsCertificate = ReturnType<typeof createCertificate>;

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** Creates a private key and its self-signed certificate, in PEM format, for a name such as `DNS:*.example.com`. */
export function createCertificate(name = 'IP:127.0.0.1') {
  const directory = mkdtempSync(path.join(tmpdir(), 'sandbox-sync-tls-'));
  const [keyFile, certFile] = [path.join(directory, 'key'), path.join(directory, 'cert')];
  const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -addext subjectAltName=${name}`;
  const args = [...options.split(' '), '-keyout', keyFile, '-out', certFile];
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return {
    key: readFileSync(keyFile, 'utf8'),
    cert: readFileSync(certFile, 'utf8'),
    certFile,
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}
