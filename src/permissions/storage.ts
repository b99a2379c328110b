import { heldKind, type Held } from './held.js';
import type { PermissionKind } from './kind.js';

/** A directory of the plugin's own, up to a quota. No other plugin reads it, and it reads no other's. */
export const storage: PermissionKind<Held> = heldKind(
  'storage',
  'Keep files in a directory of its own, up to a quota.',
);
