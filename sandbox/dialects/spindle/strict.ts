/**
 * An object of Spindle's, frozen, which answers for a name that it does not have with an error that
 * says so: an extension that uses what is not there learns that, and not that `undefined` is no
 * function. Names by which others ask what kind of thing they hold get the plain answer, and so do
 * those of other versions of Spindle, which extensions look for before they use them.
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
