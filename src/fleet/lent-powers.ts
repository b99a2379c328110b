import type { PowerDefinition } from '../brokers/powers/host-powers.js';
import type { PublicKey, SigningKey } from '../keys/signing-key.js';
import { readShape } from '../schema/shape.js';
import { bucketName, createBucket } from './artifacts.js';
import { type LentPower, lentPowersShape } from './asked.js';
import type { Cell } from './connection.js';
import { openFrame, sealFrame } from './frame.js';
import { makeObjectReader } from './read-object.js';

/** The object with the powers of the cell's gateways. No artifact has this name: those are hashes. */
const OBJECT = 'powers';

const MAX_BYTES = 4 * 1024 * 1024;

/** Publishes which powers a gateway lends, signed. Their functions stay in its process. */
export async function publishPowers(
  cell: Cell,
  key: SigningKey,
  powers: readonly PowerDefinition[],
): Promise<void> {
  const lent = powers.map((definition) => ({ ...definition, handler: undefined }));
  const text = JSON.stringify({ key: key.id, cell: cell.cell, powers: lent });
  const bucket = await createBucket(cell);
  await bucket.putBlob({ name: OBJECT }, sealFrame(key, 'powers', text));
}

/** The powers that a gateway has published; none if no trusted gateway has. */
export async function fetchPowers(
  cell: Cell,
  keys: ReadonlyMap<string, PublicKey>,
): Promise<readonly LentPower[]> {
  const frame = await makeObjectReader(cell)
    .read(bucketName(cell.cell), OBJECT, MAX_BYTES)
    .catch(() => undefined);
  const value = frame === undefined ? undefined : openFrame(keys, 'powers', frame);
  const read = readShape(lentPowersShape, value, 'powers');
  return read.ok && read.value.cell === cell.cell ? read.value.powers : [];
}
