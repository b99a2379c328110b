import { heldKind, type Held } from './held.js';
import type { PermissionKind } from './kind.js';

/** `Math.random()`. Cryptographic randomness is never given. */
export const random: PermissionKind<Held> = heldKind(
  'random',
  'Draw random numbers (not for cryptography).',
);
