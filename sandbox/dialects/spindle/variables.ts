import { toText } from '../../endowments/web-idl.js';
import type { DialectWorld } from '../dialect.js';
import type { HostCalls } from './host-calls.js';
import type { Mutations } from './mutations.js';
import type { Scope } from './scope.js';
import { strict } from './strict.js';
import { SPINDLE_LIMITS } from './limits.js';

type Bag = Map<string, string>;

/**
 * `spindle.variables`: texts by name, for a chat or a user (Spindle variables). A host that has them
 * (its macros read the same) provides them; elsewhere they are the extension's own. Those of `local`
 * are then gone with its process; those of `global` and `chat` are kept in its storage.
 */
export function makeVariables(
  world: DialectWorld,
  calls: HostCalls,
  mutations: Mutations,
  scope: Scope,
): object {
  const local = new Map<string, Bag>();
  const kept = makeKept(world);
  const inMemory: BagOf = async (owner, change) => {
    const bag = local.get(owner) ?? new Map<string, string>();
    local.set(owner, bag);
    change?.(bag);
    return bag;
  };
  const inStorage =
    (kind: string): BagOf =>
    (owner, change) =>
      kept(`${kind}:${owner}`, change);

  const forChats = (path: string, bagOf: BagOf): object =>
    makeNamespace(`spindle.variables.${path}`, 1, calls, mutations, (args, change) =>
      bagOf(String(args[0]), change),
    );
  return strict('spindle.variables', {
    local: forChats('local', inMemory),
    chat: forChats('chat', inStorage('chat')),
    global: makeNamespace('spindle.variables.global', 0, calls, mutations, (args, change) =>
      inStorage('global')(scope.userOf(args.at(-1)), change),
    ),
  });
}

/** A bag of variables, after the change where there is one. */
type BagOf = (owner: string, change?: (bag: Bag) => void) => Promise<Bag>;

/** `skip`: how many arguments come before the name of the variable. */
function makeNamespace(
  path: string,
  skip: number,
  calls: HostCalls,
  mutations: Mutations,
  bagFor: (args: readonly unknown[], change?: (bag: Bag) => void) => Promise<Bag>,
): object {
  /** What stands for "this host has no variables": no host answers with it. */
  const absent = '\u0000absent';
  const through =
    (member: string, fallback: (args: readonly unknown[]) => Promise<unknown>) =>
    async (...args: unknown[]): Promise<unknown> => {
      const answer = await calls.ask({ name: `${path}.${member}`, otherwise: () => absent }, args);
      return answer === absent ? fallback(args) : answer;
    };
  // The user comes last, and only where there is no chat.
  const owner = (args: readonly unknown[], rest: number): readonly unknown[] =>
    skip > 0 ? [args[0]] : [args[rest]];
  const keyOf = (args: readonly unknown[]): string => String(args[skip]);

  return strict(path, {
    get: through('get', async (args) => (await bagFor(owner(args, 1))).get(keyOf(args)) ?? ''),
    has: through('has', async (args) => (await bagFor(owner(args, 1))).has(keyOf(args))),
    list: through('list', async (args) => Object.fromEntries(await bagFor(owner(args, 0)))),
    set: async (...args: unknown[]): Promise<unknown> => {
      mutations.allow(`${path}.set`);
      return through('set', async () => {
        const value = toText(args[skip + 1] ?? '');
        await bagFor(owner(args, 2), (bag) => {
          if (bag.size >= SPINDLE_LIMITS.maxVariables && !bag.has(keyOf(args))) {
            throw new Error(
              `There may be at most ${SPINDLE_LIMITS.maxVariables} variables of one owner`,
            );
          }
          bag.set(keyOf(args), value);
        });
        return undefined;
      })(...args);
    },
    delete: async (...args: unknown[]): Promise<unknown> => {
      mutations.allow(`${path}.delete`);
      return through('delete', async () => {
        await bagFor(owner(args, 1), (bag) => void bag.delete(keyOf(args)));
        return undefined;
      })(...args);
    },
  });
}

/** Bags in a file each, of an area that is no user's; changes follow one another. */
function makeKept(
  world: DialectWorld,
): (owner: string, change?: (bag: Bag) => void) => Promise<Bag> {
  const { text } = world.powers;
  let last: Promise<unknown> = Promise.resolve();

  const read = async (owner: string): Promise<Bag> => {
    const area = world.storage({ area: 'user', user: `variables of ${owner}` });
    const bytes = await area.read(FILE).catch(() => text.encode('{}'));
    const decoder = text.decoder('utf-8', { fatal: false, ignoreBOM: false });
    const value: unknown = JSON.parse(decoder?.decode(bytes, false) ?? '{}');
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return new Map(entries.map(([key, written]) => [key, String(written)]));
  };
  const changeIt = async (owner: string, change: (bag: Bag) => void): Promise<Bag> => {
    const bag = await read(owner);
    change(bag);
    const area = world.storage({ area: 'user', user: `variables of ${owner}` });
    await area.write(FILE, text.encode(JSON.stringify(Object.fromEntries(bag))));
    return bag;
  };
  return (owner, change) => {
    if (change === undefined) return last.then(() => read(owner));
    const turn = last.then(() => changeIt(owner, change));
    last = turn.catch(() => undefined);
    return turn;
  };
}

const FILE = 'variables.json';
