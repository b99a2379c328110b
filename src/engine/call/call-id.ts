import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
const pool = Buffer.allocUnsafe(128 * ID_BYTES);
let used = pool.length;

/** Names one call, and cannot be guessed. Random bytes are fetched for many at once. */
export function makeCallId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const id = `call_${pool.toString('hex', used, used + ID_BYTES)}`;
  used += ID_BYTES;
  return id;
}
