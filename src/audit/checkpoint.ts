import { canonicalJson } from '../canonical.js';
import type { PublicKey } from '../keys/signing-key.js';
import type { AuditRecord } from './record.js';

export type Checkpoint = Extract<AuditRecord, { readonly type: 'checkpoint' }>;

/** Signs checkpoints. */
export interface Signer {
  /** Verifies the signatures. Its id is in each checkpoint. */
  readonly publicKey: PublicKey;
  /** The Ed25519 signature of a text: 64 bytes. */
  sign(text: string): Promise<Uint8Array>;
}

/** What a checkpoint signs: every member of its record, except its own hash and the signature. */
export type SignedMembers = Pick<Checkpoint, 'key' | 'since' | 'seq' | 'prev' | 'atMs'>;

/** The text that is signed. Its first line separates it from everything else that the key signs. */
export function textToSign({ key, since, seq, prev, atMs }: SignedMembers): string {
  return `bulkhead-audit-checkpoint-v1\n${canonicalJson({ key, since, seq, prev, atMs })}`;
}

/** Whether one of the keys signed the checkpoint; `undefined` if none of them is its key. */
export function isSignedBy(
  checkpoint: Checkpoint,
  keys: readonly PublicKey[],
): boolean | undefined {
  const key = keys.find(({ id }) => id === checkpoint.key);
  return key?.verify(textToSign(checkpoint), Buffer.from(checkpoint.signature, 'base64url'));
}
