import { console as endowment } from '../../endowments/console.js';
import { isRecord } from '../../wire/json.js';
import type { DialectWorld } from '../dialect.js';
import type { Server } from './server.js';

/**
 * The `console` of a program. Its lines go to the log. A message of the protocol that `console.log` prints
 * goes to standard output, as in Node. Programs replace its methods, such as `console.log = console.error`.
 */
export function makeProgramConsole(world: DialectWorld, server: Server): unknown {
  // Also the lines of packages, whose consoles are their own.
  world.listen((level, text) => {
    if (level === 'error') server.noteLine(text);
  });
  const made = endowment.make(world.powers);
  const { console } = made.globals;
  if (!isRecord(console)) return console;
  const plain = console['log'];
  return replaceable({
    ...console,
    log: (...args: unknown[]): void => {
      const [first] = args;
      if (args.length === 1 && typeof first === 'string' && MESSAGE.test(first)) {
        server.face.write('stdout', `${first}\n`);
      } else if (typeof plain === 'function') Reflect.apply(plain, undefined, args);
    },
  });
}

/** An object with these members, which code may replace although the object is hardened. */
function replaceable(members: Readonly<Record<string, unknown>>): unknown {
  const replaced = {};
  for (const [name, member] of Object.entries(members)) {
    let current: unknown = harden(member);
    Object.defineProperty(replaced, name, {
      enumerable: true,
      get: () => current,
      set: (value) => {
        current = value;
      },
    });
  }
  return replaced;
}

/** The start of a message. Written by `JSON.stringify`, it has no white space before its first key. */
const MESSAGE = /^\{"(?:jsonrpc|id|result|method)":/;
