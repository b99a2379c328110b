import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificates {
  /** The authority's own certificate, PEM. */
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
}

/** A new authority, and a certificate of it for `host`, by the openssl on this machine. */
export function makeCertificates(host: string): Certificates {
  const directory = mkdtempSync(join(tmpdir(), 'bulkhead-tls-'));
  const at = (name: string): string => join(directory, name);
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { stdio: 'pipe' });
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-subj',
      '/CN=Test CA',
      '-days',
      '2',
      '-keyout',
      at('ca.key'),
      '-out',
      at('ca.pem'),
    );
    openssl(
      'req',
      ...newKey,
      '-subj',
      `/CN=${host}`,
      '-keyout',
      at('key.pem'),
      '-out',
      at('csr.pem'),
    );
    writeFileSync(at('ext'), `subjectAltName=DNS:${host}\n`);
    openssl(
      'x509',
      '-req',
      '-in',
      at('csr.pem'),
      '-CA',
      at('ca.pem'),
      '-CAkey',
      at('ca.key'),
      '-CAcreateserial',
      '-days',
      '2',
      '-extfile',
      at('ext'),
      '-out',
      at('cert.pem'),
    );
    const read = (name: string): string => readFileSync(at(name), 'utf8');
    return { ca: read('ca.pem'), key: read('key.pem'), cert: read('cert.pem') };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
