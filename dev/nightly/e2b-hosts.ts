import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { startService } from '../agent/service.ts';

/**
 * Plays the hosts of E2B with a stand-in, for processes that have the variables in `env`. They reach
 * it through a proxy, and no other host by https.
 */
export async function playE2bHosts(folder: string) {
  const tls = createCertificate(folder);
  const apiKey = randomUUID();
  const root = path.join(folder, 'sandboxes');
  const service = await startService({ apiKey, folder: root, runCommands: true, tls });
  const proxy = createServer().on('connect', ({ url = '' }, client) => {
    if (!/\be2b\.app:443$/.test(url)) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const upstream = connect(Number(new URL(service.url).port), '127.0.0.1');
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    service,
    apiKey,
    env: {
      HTTPS_PROXY: `http://127.0.0.1:${port}`,
      NODE_EXTRA_CA_CERTS: tls.file,
      CURL_CA_BUNDLE: tls.file,
    },
    async [Symbol.asyncDispose]() {
      proxy.close().closeAllConnections();
      await service[Symbol.asyncDispose]();
    },
  };
}

function createCertificate(folder: string) {
  const [keyFile, file] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const options =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=e2b.app -addext subjectAltName=DNS:*.e2b.app';
  const args = [...options.split(' '), '-keyout', keyFile, '-out', file];
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(file, 'utf8'), file };
}
