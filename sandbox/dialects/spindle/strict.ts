/**
 * A frozen object of Spindle. A read of a missing name throws an error with that name, which is
 * clearer than "undefined is not a function". Names that runtimes and libraries probe give
 * `undefined`, as do names of other Spindle versions that extensions test for.
 */
export function strict<Members extends object>(path: string, members: Members): Members {
  Object.freeze(members);
  return new Proxy(members, {
    get: (target, key, receiver): unknown => {
      if (
        typeof key === 'symbol' ||
        key in target ||
        QUIET.has(key) ||
        PROBED.has(`${path}.${key}`)
      ) {
        return Reflect.get(target, key, receiver);
      }
      const meant = Reflect.ownKeys(target).find((name) => isNear(key, name));
      const remedy =
        typeof meant === 'string'
          ? `Did you mean ${path}.${meant}?`
          : `Test for it with ${JSON.stringify(key)} in ${path}.`;
      throw new TypeError(`${path}.${key} does not exist here. ${remedy}`);
    },
  });
}

/** Whether two names are the same but for up to two neighbouring characters. */
function isNear(key: string, name: string | symbol): boolean {
  if (typeof name !== 'string') return false;
  const [short, long] = key.length < name.length ? [key, name] : [name, key];
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  let end = 0;
  while (end < short.length - start && short.at(-1 - end) === long.at(-1 - end)) end += 1;
  return short.length > 3 && start + end >= long.length - 2;
}

const QUIET: ReadonlySet<string> = new Set([
  '__esModule',
  'default',
  'then',
  'catch',
  'finally',
  'toJSON',
  'inspect',
  'nodeType',
  'asymmetricMatch',
  '$$typeof',
]);

const PROBED: ReadonlySet<string> = new Set([
  'spindle.chatMutation',
  'spindle.chat_mutation',
  'spindle.messages',
  'spindle.decisions',
  'spindle.stt',
  'spindle.tts',
  'spindle.desktopCapture',
  'spindle.corsProxy',
  'spindle.ephemeralStorage',
  'spindle.secureEnclave',
  'spindle.toast.show',
  'spindle.chats.active',
  'spindle.chats.getActiveChat',
]);

/** Reads a property of any value. It may run plugin code, or throw. */
export function readField(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
