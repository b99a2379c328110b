import { BulkheadError } from '../errors.js';

/** The names of cells, gateways and runners: one token of a subject. */
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Throws `INVALID_OPTIONS`. */
export function requireName(option: string, name: unknown): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw new BulkheadError(
    'INVALID_OPTIONS',
    `The option ${option} takes 1 to 32 small letters, digits and hyphens, like "runner-1", not ${JSON.stringify(name)}.`,
    { option },
  );
}

/** The token of calls without a tenant. It is not in the alphabet of base32. */
const NO_TENANT = '0';

const MAX_TENANT_BYTES = 128;

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * A tenant as one token of a subject: base32 (RFC 4648) in small letters, without padding. A tenant's own name
 * could contain dots and wildcards. Throws `INVALID_OPTIONS` for names longer than 128 bytes.
 */
export function tenantToken(tenant: string | undefined): string {
  if (tenant === undefined) return NO_TENANT;
  const bytes = Buffer.from(tenant, 'utf8');
  if (bytes.length === 0 || bytes.length > MAX_TENANT_BYTES) {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      `In a fleet, a tenant has 1 to ${MAX_TENANT_BYTES} bytes. Pass a hash of a longer name.`,
      { option: 'tenant' },
    );
  }
  let token = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      token += ALPHABET[(value >> bits) & 31] ?? '';
    }
  }
  return bits === 0 ? token : token + (ALPHABET[(value << (5 - bits)) & 31] ?? '');
}

/** The tenant of a token; `undefined`: that of calls without a tenant. */
export function tenantOf(token: string): string | undefined {
  if (token === NO_TENANT) return undefined;
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of token) {
    value = ((value << 5) | ALPHABET.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return Buffer.from(bytes).toString('utf8');
}

/** The bytes of `sha512-<base64>` in hexadecimal digits: the name of an artifact in the object store. */
export function artifactName(hash: string): string {
  return Buffer.from(hash.slice('sha512-'.length), 'base64').toString('hex');
}

/** The part of an artifact's hash in subjects. It routes, and proves nothing. */
export function hash12(hash: string): string {
  // 12 hexadecimal digits are 6 bytes, and those are 8 characters of base64.
  const start = 'sha512-'.length;
  return Buffer.from(hash.slice(start, start + 8), 'base64').toString('hex');
}

/** The subjects of one cell: see docs/fleet.md. */
export interface Subjects {
  /** Calls for any runner that has the artifact. `tenant` and `hash` may be `*`. */
  call(tenant: string, hash: string): string;
  /** Calls for one runner. */
  pin(runner: string, hash: string): string;
  /** The end of one call. */
  cancel(runner: string, call: string): string;
  /** The answer to a question of a runner about a running call. */
  answer(runner: string, id: string): string;
  /** Asks a runner which calls it does not have. If it is not there, the server says so at once. */
  alive(runner: string): string;
  heartbeat(runner: string): string;
  /** Signed statements of a gateway that it is there, and what it revoked. */
  epoch(gateway: string): string;
  /** The audit records of a runner. The runner may be `*`. */
  audit(runner: string): string;
  /** The part of a subject after its last dot. */
  lastToken(subject: string): string;
}

export function subjectsOf(cell: string): Subjects {
  const at = (...tokens: readonly string[]): string => ['bh', cell, ...tokens].join('.');
  return {
    call: (tenant, hash) => at('call', tenant, hash),
    pin: (runner, hash) => at('pin', runner, hash),
    cancel: (runner, call) => at('ctl', runner, 'cancel', call),
    answer: (runner, id) => at('ctl', runner, 'answer', id),
    alive: (runner) => at('ctl', runner, 'alive'),
    heartbeat: (runner) => at('hb', runner),
    epoch: (gateway) => at('epoch', gateway),
    audit: (runner) => at('audit', runner),
    lastToken: (subject) => subject.slice(subject.lastIndexOf('.') + 1),
  };
}

/** The queue group of the runners that share calls. */
export const RUN_QUEUE = 'run';
