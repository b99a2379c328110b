import { invalidPermission } from './invalid.js';
import type { PermissionKind } from './kind.js';

/** The only scope of a kind that is held or not. */
export type Held = true;

/** A kind without scopes. Its text is `true`, as manifests write it. */
export function heldKind(
  name: 'time' | 'random' | 'storage',
  sentence: string,
): PermissionKind<Held> {
  return {
    name,
    written: name,
    parse: (text) => {
      if (text === 'true') return true;
      throw invalidPermission(name, text, 'it is held or not. Write true.');
    },
    format: () => 'true',
    covers: () => true,
    attenuate: () => true,
    explain: () => sentence,
  };
}
