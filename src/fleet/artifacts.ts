import type { ObjectStore } from '@nats-io/obj';
import { BulkheadError, isBulkheadError } from '../errors.js';
import type { AcceptedPlugins } from '../engine/types/settings.js';
import { MAX_ARCHIVE_BYTES } from '../plugin/artifact/archive.js';
import { integrityOf } from '../plugin/integrity.js';
import type { Cell } from './connection.js';
import { makeObjectReader } from './read-object.js';
import { artifactName } from './subjects.js';

/** The artifacts of a cell, in NATS' object store, by their hashes. Only a gateway creates the bucket. */
export async function createBucket({ nats, connection, cell }: Cell): Promise<ObjectStore> {
  return new nats.obj.Objm(connection).create(bucketName(cell));
}

export function bucketName(cell: string): string {
  return `bh-${cell}-artifacts`;
}

/** Publishes the artifacts that a lock file accepts, with their signatures. */
export async function publishArtifacts(cell: Cell, lock: AcceptedPlugins): Promise<void> {
  const bucket = await createBucket(cell);
  for (const pin of Object.values(lock.read().plugins)) {
    const stored = pin.disabled === true ? undefined : lock.readStored(pin.artifact);
    if (stored === undefined) continue;
    const name = artifactName(pin.artifact);
    await publish(bucket, name, stored.bytes);
    if (stored.envelope !== undefined) {
      await publish(bucket, `${name}.dsse`, Buffer.from(stored.envelope, 'utf8'));
    }
  }
}

async function publish(bucket: ObjectStore, name: string, bytes: Uint8Array): Promise<void> {
  const there = await bucket.info(name);
  if (there !== null && there.size === bytes.byteLength) return;
  await bucket.putBlob({ name }, bytes);
}

/**
 * Stores the artifacts that a lock file accepts and that are not stored on this machine. Returns the reason for
 * each plugin that is not there. Nothing is stored whose hash differs from the one in the lock file.
 */
export async function fetchArtifacts(
  cell: Cell,
  lock: AcceptedPlugins,
): Promise<ReadonlyMap<string, string>> {
  const objects = makeObjectReader(cell);
  const read = (name: string, maxBytes: number): Promise<Uint8Array | undefined> =>
    // Without a gateway there is no bucket.
    objects.read(bucketName(cell.cell), name, maxBytes).catch(() => undefined);
  const missing = new Map<string, string>();
  for (const [id, pin] of Object.entries(lock.read().plugins)) {
    if (pin.disabled === true || isStored(lock, pin.artifact)) continue;
    try {
      await fetchOne(read, lock, pin.artifact);
    } catch (error) {
      if (!isBulkheadError(error)) throw error;
      missing.set(id, error.message);
    }
  }
  return missing;
}

function isStored(lock: AcceptedPlugins, hash: string): boolean {
  const stored = lock.readStored(hash);
  return stored !== undefined && integrityOf(stored.bytes) === hash;
}

async function fetchOne(
  read: (name: string, maxBytes: number) => Promise<Uint8Array | undefined>,
  lock: AcceptedPlugins,
  hash: string,
): Promise<void> {
  const name = artifactName(hash);
  const bytes = await read(name, MAX_ARCHIVE_BYTES);
  if (bytes === undefined) {
    throw refused(
      name,
      'no gateway has published it. Start a gateway with the same lock file and the plugin',
    );
  }
  // guard: fleet-artifact-hashed
  if (integrityOf(bytes) !== hash) {
    throw refused(name, 'its bytes have another hash. The store of NATS was changed');
  }
  const envelope = await read(`${name}.dsse`, MAX_ENVELOPE_BYTES);
  lock.store(hash, {
    bytes,
    ...(envelope === undefined ? {} : { envelope: Buffer.from(envelope).toString('utf8') }),
  });
}

const MAX_ENVELOPE_BYTES = 64 * 1024;

function refused(name: string, why: string): BulkheadError<'INVALID_ARTIFACT'> {
  return new BulkheadError(
    'INVALID_ARTIFACT',
    `The artifact ${name.slice(0, 12)}… was not taken from the fleet: ${why}.`,
    { file: name },
  );
}
