import type { HeldRequest } from '../../approval/approver.js';

/** What a tool would have changed, and was kept from in a rehearsal. */
export type StoppedEffect =
  | ({ readonly permission: 'network' } & HeldRequest)
  | { readonly permission: 'storage'; readonly operation: string; readonly path: string }
  | { readonly permission: 'powers'; readonly power: string };
