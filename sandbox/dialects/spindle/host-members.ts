import { type HostCalls } from './host-calls.js';
import type { Mutations } from './mutations.js';
import { emptyAnswers, type SurfaceGroup } from './surface-group.js';

/** Members of `spindle`, functions and namespaces of more of them. */
export interface Members {
  [name: string]: unknown;
}

/** Makes the members that are no more than questions to the host, by their place in `spindle`. */
export function makeHostMembers(
  groups: readonly SurfaceGroup[],
  calls: HostCalls,
  mutations: Mutations,
): Members {
  const members: Members = {};
  for (const { path, permission, reads = {}, writes = '', tells = '' } of groups) {
    const place = placeIn(members, path);
    const nameOf = (name: string): string => ['spindle', path, name].filter(Boolean).join('.');
    for (const [key, empty] of Object.entries(reads)) {
      const call = { name: nameOf(key), permission, otherwise: emptyAnswers[empty] };
      place[key] = (...args: unknown[]): Promise<unknown> => calls.ask(call, args);
    }
    for (const key of wordsOf(writes)) {
      const call = { name: nameOf(key), permission };
      place[key] = async (...args: unknown[]): Promise<unknown> => {
        mutations.allow(call.name);
        return calls.ask(call, args);
      };
    }
    for (const key of wordsOf(tells)) {
      const call = { name: nameOf(key), permission };
      place[key] = (...args: unknown[]): void => calls.tell(call, args);
    }
  }
  return members;
}

function wordsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ');
}

function placeIn(members: Members, path: string): Members {
  let place = members;
  for (const name of path.split('.').filter(Boolean)) {
    const next = place[name];
    const found: Members = isMembers(next) ? next : {};
    place[name] = found;
    place = found;
  }
  return place;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}
