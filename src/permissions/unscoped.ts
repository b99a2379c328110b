import { type PermissionKind, invalidPermission } from './kind.js';

/** The only scope of a kind that is granted or not. */
export type Held = true;

/** A kind without scopes. Its text is `true`, as manifests write it. */
function heldKind(name: 'time' | 'random' | 'storage', sentence: string): PermissionKind<Held> {
  return {
    name,
    parse: (text) => {
      if (text === 'true') return true;
      throw invalidPermission(name, text, 'it does not have scopes. Write true.');
    },
    format: () => 'true',
    covers: () => true,
    attenuate: () => true,
    explain: () => sentence,
  };
}

/** The clock and the calendar: `Date`, `Date.now()`, `Intl.DateTimeFormat`. */
export const time: PermissionKind<Held> = heldKind('time', 'Read the time and the date.');

/** `Math.random()`. Cryptographic randomness is never available. */
export const random: PermissionKind<Held> = heldKind(
  'random',
  'Draw random numbers (not for cryptography).',
);

/** A directory of the plugin's own, up to a quota. No other plugin can read it. */
export const storage: PermissionKind<Held> = heldKind(
  'storage',
  'Store files in its own directory, up to a quota.',
);
