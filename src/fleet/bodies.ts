import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { ObjectStore } from '@nats-io/obj';
import { BulkheadError, messageOf } from '../errors.js';
import { number, object, type Shape, string } from '../schema/shape.js';
import type { Cell } from './connection.js';
import { makeObjectReader } from './read-object.js';

/** An input or result that is too long for a message. Only who has this reference can read it. */
export interface BodyReference {
  /** The tenant's token: each tenant has a bucket of its own. */
  readonly tenant: string;
  /** Unguessable. */
  readonly name: string;
  readonly bytes: number;
  /** sha256 of the text, in hexadecimal digits. */
  readonly sha256: string;
  /** The key of AES-256-GCM, in base64. It encrypts this body alone. */
  readonly key: string;
}

export const bodyReferenceShape: Shape<BodyReference> = object(
  {
    tenant: string('the token of a tenant', (text) => /^[a-z0-9]{1,210}$/.test(text)),
    name: string('the name of a body', (text) => /^[0-9a-f]{32}$/.test(text)),
    bytes: number,
    sha256: string(),
    key: string(),
  },
  'refuse',
);

/** Milliseconds after which NATS deletes a body. */
const EXPIRY_MS = 15 * 60_000;

/** Bytes of one body: more than any input or result may have by default. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

const TAG_BYTES = 16;

/** Large inputs and results of a cell, encrypted, in NATS' object store. */
export interface Bodies {
  /** Creates the bucket of a tenant, once. Only a gateway may. */
  prepare(tenant: string): Promise<void>;
  /** Rejects with `FLEET_FAILED` for bodies of more than 64 MiB. */
  store(tenant: string, text: string): Promise<BodyReference>;
  /** The text. Rejects with `FLEET_FAILED` if it is gone, or is not what the reference says. */
  read(reference: BodyReference): Promise<string>;
  /** Deletes a body that is not needed any more. Never rejects: the body expires. */
  remove(reference: BodyReference): Promise<void>;
}

export function openBodies({ nats, connection, cell }: Cell): Bodies {
  const objects = makeObjectReader({ nats, connection });
  const manager = new nats.obj.Objm(connection);
  const nameOf = (tenant: string): string => `bh-${cell}-bodies-${tenant}`;
  const buckets = new Map<string, Promise<ObjectStore>>();
  const bucketOf = (tenant: string): Promise<ObjectStore> => {
    let bucket = buckets.get(tenant);
    if (bucket === undefined) {
      bucket = manager.open(nameOf(tenant));
      buckets.set(tenant, bucket);
      bucket.catch(() => buckets.delete(tenant));
    }
    return bucket;
  };
  return {
    prepare: async (tenant) => {
      if (buckets.has(tenant)) return;
      const bucket = manager.create(nameOf(tenant), { ttl: EXPIRY_MS * NANOSECONDS });
      buckets.set(tenant, bucket);
      bucket.catch(() => buckets.delete(tenant));
      await bucket.catch(notStored);
    },
    store: async (tenant, text) => {
      const plain = Buffer.from(text, 'utf8');
      if (plain.length > MAX_BODY_BYTES) throw failed(`it has more than ${MAX_BODY_BYTES} bytes`);
      const key = randomBytes(32);
      const name = randomBytes(16).toString('hex');
      const cipher = createCipheriv('aes-256-gcm', key, NONCE);
      const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
      await bucketOf(tenant)
        .then((bucket) => bucket.putBlob({ name }, sealed))
        .catch(notStored);
      return {
        tenant,
        name,
        bytes: sealed.length,
        sha256: createHash('sha256').update(plain).digest('hex'),
        key: key.toString('base64'),
      };
    },
    read: async ({ tenant, name, bytes, sha256, key }) => {
      const sealed = await objects.read(nameOf(tenant), name, MAX_BODY_BYTES + TAG_BYTES);
      if (sealed?.length !== bytes) throw failed('it is not in the object store any more');
      const plain = decrypt(sealed, key);
      // guard: fleet-body-hashed
      if (plain === undefined || createHash('sha256').update(plain).digest('hex') !== sha256) {
        throw failed('it was changed in the object store');
      }
      return plain.toString('utf8');
    },
    remove: async ({ tenant, name }) => {
      await bucketOf(tenant)
        .then((bucket) => bucket.delete(name))
        .catch(() => undefined);
    },
  };
}

const NANOSECONDS = 1_000_000;

/** Each key encrypts one body, so the nonce may be constant. */
const NONCE = Buffer.alloc(12);

function decrypt(sealed: Uint8Array, key: string): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'base64'), NONCE);
    decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    return Buffer.concat([
      decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES)),
      decipher.final(),
    ]);
  } catch {
    return undefined;
  }
}

function notStored(error: unknown): never {
  throw failed(`NATS did not store it (${messageOf(error)})`);
}

function failed(why: string): BulkheadError<'FLEET_FAILED'> {
  return new BulkheadError(
    'FLEET_FAILED',
    `A large input or result cannot be passed on: ${why}. Make the call again, or pass less data.`,
    { reason: 'transport' },
  );
}
