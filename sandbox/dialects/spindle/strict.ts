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
      throw new TypeError(
        `${path}.${key} does not exist here. Test for it with ${JSON.stringify(key)} in ${path}.`,
      );
    },
  });
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
