import type { Members } from './host-members.js';
import { strict } from './strict.js';

/**
 * The global `spindle`, frozen through and through, out of what the host does and what is done here.
 * Namespaces that are in both have the members of both.
 */
export function makeSpindle(hostMembers: Members, ownMembers: Members): object {
  const members: Members = { ...hostMembers };
  for (const [name, own] of Object.entries(ownMembers)) {
    const other = members[name];
    members[name] = isPlain(own) && isPlain(other) ? { ...other, ...own } : own;
  }
  return namespace('spindle', members);
}

/** Data stays plain: what an extension looks for in it and is not there is `undefined`. */
const DATA: ReadonlySet<string> = new Set(['contracts', 'host', 'manifest']);

function namespace(path: string, members: Members): object {
  const made = Object.entries(members).map(([name, member]): [string, unknown] => [
    name,
    isPlain(member) && !DATA.has(name) ? namespace(`${path}.${name}`, member) : harden(member),
  ]);
  return strict(path, Object.fromEntries(made));
}

/** An object of members, and not one that is strict already, whose prototype is asked for here. */
function isPlain(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Object.isFrozen(value);
}
