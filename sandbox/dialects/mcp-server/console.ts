import { console as endowment } from '../../endowments/console.js';
import { isRecord } from '../../wire/json.js';
import type { DialectWorld } from '../dialect.js';
import type { Server } from './server.js';

/**
 * The `console` of a program. Its lines go to the log. A message of the protocol that `console.log` prints
 * goes to standard output, as in Node.
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
  return {
    ...console,
    log: (...args: unknown[]): void => {
      const [first] = args;
      if (args.length === 1 && typeof first === 'string' && MESSAGE.test(first)) {
        server.face.write('stdout', `${first}\n`);
      } else if (typeof plain === 'function') Reflect.apply(plain, undefined, args);
    },
  };
}

/** The start of a message. Written by `JSON.stringify`, it has no white space before its first key. */
const MESSAGE = /^\{"(?:jsonrpc|id|result|method)":/;
