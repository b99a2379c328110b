import { toText } from '../../endowments/web-idl.js';
import type { DialectWorld } from '../dialect.js';
import type { HostCalls } from './host-calls.js';
import type { Mutations } from './permissions.js';
import type { Scope } from './storage.js';
import { strict } from './strict.js';
import { SPINDLE_LIMITS } from './limits.js';

type Bag = Map<string, string>;

/**
 * `spindle.variables`: texts by name, for a chat or a user (Spindle variables). If the host's
 * macros use variables, the host stores them. Otherwise the extension's storage contains them. Local
 * ones of an extension without storage last until its process ends.
 */
export function makeVariables(
  world: DialectWorld,
  calls: HostCalls,
  mutations: Mutations,
  scope: Scope,
): object {
  const local = new Map<string, Bag>();
  const saved = makeSaved(world);
  const inMemory: BagOf = async (owner, change) => {
    const bag = local.get(owner) ?? new Map<string, string>();
    local.set(owner, bag);
    change?.(bag);
    return bag;
  };
  const inStorage =
    (kind: string): BagOf =>
    (owner, change) =>
      kind === 'local' && !world.grant.storage
        ? inMemory(owner, change)
        : saved(`${kind}:${owner}`, change);

  const forChats = (path: string, bagOf: BagOf): object =>
    makeNamespace(`spindle.variables.${path}`, 1, calls, mutations, (args, change) =>
      bagOf(String(args[0]), change),
    );
  return strict('spindle.variables', {
    local: forChats('local', inStorage('local')),
    chat: forChats('chat', inStorage('chat')),
    global: makeNamespace('spindle.variables.global', 0, calls, mutations, (args, change) =>
      inStorage('global')(scope.userOf(args.at(-1)), change),
    ),
  });
}

/** Reads the variables of an owner, after `change` if it is present. */
type BagOf = (owner: string, change?: (bag: Bag) => void) => Promise<Bag>;

/** `skip`: the number of arguments before the variable's name. */
function makeNamespace(
  path: string,
  skip: number,
  calls: HostCalls,
  mutations: Mutations,
  bagFor: (args: readonly unknown[], change?: (bag: Bag) => void) => Promise<Bag>,
): object {
  /** Marks "this host has no variables". No host returns this text. */
  const absent = '\u0000absent';
  const through =
    (member: string, fallback: (args: readonly unknown[]) => Promise<unknown>) =>
    async (...args: unknown[]): Promise<unknown> => {
      const answer = await calls.request(
        { name: `${path}.${member}`, otherwise: () => absent },
        args,
      );
      return answer === absent ? fallback(args) : answer;
    };
  // The user's id is the last argument, and is used only if there is no chat.
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

/** Stores each owner's variables in one file of a storage area. Changes run one after the other. */
function makeSaved(
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
