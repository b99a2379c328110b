import type { Json } from '../../wire/messages.js';
import { isRecord } from '../../wire/parse.js';

/**
 * Whose an extension is. Installed for one user, which is the default, everything that it asks for
 * is theirs, whatever user it names; installed for all (`installScope: "operator"` in the operator's
 * configuration of it), it has to say for whom it asks.
 */
export interface Scope {
  /** The user that a call is for, as text that names an area of storage. Throws where it has to be said. */
  userOf(userId: unknown): string;
}

export function readScope(config: Json): Scope {
  const forAll = isRecord(config) && config['installScope'] === 'operator';
  return {
    userOf: (userId) => {
      if (!forAll) return OWNER;
      if (typeof userId === 'string' && userId !== '') return `user:${userId}`;
      throw new Error('userId is required for operator-scoped extensions');
    },
  };
}

/** The one user of an extension that is installed for one. */
export const OWNER = 'owner';
