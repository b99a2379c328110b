import { makeOverridable } from './endowments/overridable.js';

/** The function that a stand-in exports if something of it must change before packages share it. */
const BEFORE_SHARING = 'beforeSharing';

/**
 * Makes the exports of a stand-in, which the packages of a plugin share, so that no package can change them for
 * another one. `refused`: called with the name of a member for an assignment to it, which does nothing.
 */
export function fixBuiltin(
  exports: unknown,
  refused: (member: string) => void,
): Readonly<Record<string, unknown>> {
  const { [BEFORE_SHARING]: prepare, ...members } = isObject(exports) ? { ...exports } : {};
  if (typeof prepare === 'function') Reflect.apply(prepare, undefined, []);
  for (const made of functionsIn(members)) {
    makeOverridable(made, (key) => refused(String(key)));
  }
  // guard: shared-builtin-hardened
  return harden(members);
}

/** The functions among the members, members of members included. A class comes after the one that it extends. */
function functionsIn(members: object): readonly Function[] {
  const seen = new Set<object>();
  const found: Function[] = [];
  const visit = (value: unknown): void => {
    if (!isObject(value) || seen.has(value) || Object.isFrozen(value)) return;
    seen.add(value);
    visit(Object.getPrototypeOf(value));
    if (typeof value === 'function') found.push(value);
    for (const { value: inner } of Object.values(Object.getOwnPropertyDescriptors(value))) {
      visit(inner);
    }
  };
  visit(members);
  return found;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
