import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface Certificates {
  /** The authority's own certificate, PEM. */
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
}

/** A new authority, and a certificate of it for `host`, both good for a day. */
export function makeCertificates(host: string): Certificates {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = { name: 'Test CA', key: authority.privateKey };
  const isAuthority = extension('551d13', sequence(tlv(0x01, Buffer.of(0xff))));
  const forHost = extension('551d11', sequence(tlv(0x82, Buffer.from(host))));
  return {
    ca: certificate(issuer, 'Test CA', authority.publicKey, isAuthority),
    key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: certificate(issuer, host, server.publicKey, forHost),
  };
}

interface Issuer {
  readonly name: string;
  readonly key: KeyObject;
}

let serial = 1;

/** X.509, RFC 5280, as little of it as TLS wants. */
function certificate(issuer: Issuer, subject: string, key: KeyObject, extra: Buffer): string {
  const algorithm = sequence(objectId('2a8648ce3d040302')); // ecdsa-with-SHA256
  const day = 24 * 60 * 60 * 1000;
  const signed = sequence(
    tlv(0xa0, tlv(0x02, Buffer.of(2))),
    tlv(0x02, Buffer.of((serial += 1))),
    algorithm,
    commonName(issuer.name),
    sequence(time(Date.now() - day), time(Date.now() + day)),
    commonName(subject),
    key.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(extra)),
  );
  const signature = tlv(0x03, Buffer.of(0), sign('sha256', signed, issuer.key));
  const base64 = sequence(signed, algorithm, signature).toString('base64');
  const lines = base64.match(/.{1,64}/g)?.join('\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), tlv(0x04, value));
}

function commonName(name: string): Buffer {
  return sequence(tlv(0x31, sequence(objectId('550403'), tlv(0x0c, Buffer.from(name)))));
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return tlv(0x18, Buffer.from(digits));
}

function objectId(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, 'hex'));
}

function sequence(...parts: Buffer[]): Buffer {
  return tlv(0x30, ...parts);
}

/** One value in DER: its tag, its length, itself. */
function tlv(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length =
    body.length < 128 ? Buffer.of(body.length) : Buffer.of(0x82, body.length >> 8, body.length);
  return Buffer.concat([Buffer.of(tag), length, body]);
}
