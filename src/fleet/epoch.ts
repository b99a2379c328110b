import type { PublicKey, SigningKey } from '../keys/signing-key.js';
import { array, number, object, readShape, type Shape, string } from '../schema/shape.js';
import { openFrame, sealFrame } from './frame.js';

/**
 * What a gateway states every second. Its number grows with each statement, so that a runner notices an old
 * one. A runner that does not hear from a gateway for three seconds runs no calls of it.
 */
export interface Epoch {
  readonly key: string;
  /** The gateway's name. Several gateways may have one key. */
  readonly gateway: string;
  readonly cell: string;
  readonly number: number;
  /** The gateway's side of the sessions with runners: see `SessionParty`. */
  readonly session: string;
  /** All that the gateway has revoked since it started, in order. */
  readonly revoked: readonly Revoked[];
  /** Plugins that it has disabled. */
  readonly disabled: readonly string[];
}

export interface Revoked {
  readonly plugin: string;
  readonly permissions: readonly string[];
}

/** Names a gateway in heartbeats: its key and its name. */
export function gatewayId({ key, gateway }: Pick<Epoch, 'key' | 'gateway'>): string {
  return `${key}/${gateway}`;
}

/** Milliseconds between two statements. */
export const EPOCH_EVERY_MS = 1_000;

/** Milliseconds without a statement after which a runner stops the gateway's calls. */
export const DEAF_AFTER_MS = 3_000;

export function sealEpoch(key: SigningKey, epoch: Omit<Epoch, 'key'>): Uint8Array {
  return sealFrame(key, 'epoch', JSON.stringify({ key: key.id, ...epoch }));
}

/** The statement in a frame; `undefined` if no pinned key signed it. */
export function openEpoch(
  keys: ReadonlyMap<string, PublicKey>,
  frame: Uint8Array,
): Epoch | undefined {
  const read = readShape(epochShape, openFrame(keys, 'epoch', frame), 'epoch');
  return read.ok ? read.value : undefined;
}

const epochShape: Shape<Epoch> = object({
  key: string(),
  gateway: string(),
  cell: string(),
  number,
  session: string(),
  revoked: array(object({ plugin: string(), permissions: array(string()) })),
  disabled: array(string()),
});
