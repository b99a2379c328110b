import { heldKind, type Held } from './held.js';
import type { PermissionKind } from './kind.js';

/** The clock and the calendar: `Date`, `Date.now()`, `Intl.DateTimeFormat`. */
export const time: PermissionKind<Held> = heldKind('time', 'Tell the time and the date.');
