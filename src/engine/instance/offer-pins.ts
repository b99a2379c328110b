import { createHash } from 'node:crypto';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { canonicalJson } from '../../canonical.js';
import { BulkheadError, messageOf } from '../../errors.js';
import type { Grant } from '../../permissions/grant.js';
import { type Bundle, subjectHashOf } from '../../plugin/plugin.js';
import type { Contributions, RefusedTool, ToolDefinition } from '../../plugin/tool.js';
import {
  changeOf,
  type Definition,
  digestOf,
  formatPins,
  type PinStore,
  readPins,
} from '../../remotes/pins.js';
import { shellWord } from '../../visible.js';
import { processDefaults } from '../node/process-defaults.js';
import { openPinFiles } from '../node/text-cache.js';
import type { Settings } from '../types/settings.js';
import { withoutDefaultDates } from '../../remotes/default-dates.js';

/**
 * Pins what servers in guests list at run time. Their code is pinned by the lock file, but a list can come from
 * anywhere: the time, a file, an answer of the network. The first list for an artifact with these arguments, names
 * of variables and powers is pinned. What is new or changed later is withheld until the operator accepts it.
 */
export interface OfferPins {
  /** `starting`: the guest has just started, and may still be building its first list. */
  tools(instance: Listing, plugin: string, listed: Contributions, starting: boolean): Contributions;
  /** The prompts that are pinned. */
  prompts(instance: Listing, plugin: string, listed: readonly JsonObject[]): readonly JsonObject[];
  /** Whether a prompt was listed and withheld. */
  isWithheld(instance: Listing, plugin: string, prompt: string): boolean;
  /** Accepts what the plugin lists now. Throws `INVALID_OPTIONS` if nothing waits, or the digest differs. */
  accept(plugin: string, digest: string | undefined): Promise<void>;
  /** Resolves when everything that was listed is stored. Never rejects. */
  settled(): Promise<void>;
}

/** The part of an instance that determines what its server may list. */
export interface Listing {
  readonly bundle: Bundle;
  readonly grant: Grant;
  readonly terms: JsonObject;
}

interface Kept {
  accepted: string;
  /** The last list that differed. */
  offered?: string;
}

/** Lists of one plugin that are stored: one for each artifact, arguments, variables and powers. */
const MAX_KEPT = 40;

export function openOfferPins({
  storageDirectory,
  logger,
}: Pick<Settings, 'storageDirectory' | 'logger'>): OfferPins {
  return makeOfferPins(openPinFiles(storageDirectory), (why) => logger.warn({ why }, 'listings'));
}

/** What the servers of an engine listed, for a command that does not start them. */
export function openStoredListings(storageDirectory: string = processDefaults().storageDirectory): {
  has(plugin: string): boolean;
  accept(plugin: string, digest: string | undefined): Promise<void>;
} {
  const store = openPinFiles(storageDirectory);
  const { accept } = makeOfferPins(store, () => {});
  return { has: (plugin) => store.read(nameOf(plugin)) !== undefined, accept };
}

/** `warn`: tells the operator what was withheld, or could not be stored. */
export function makeOfferPins(store: PinStore, warn: (why: string) => void): OfferPins {
  const books = new Map<string, Map<string, Kept>>();
  /** Lists that were pinned by this process, for a guest that is still starting. */
  const fresh = new Set<string>();
  const writes = new Map<string, Promise<void>>();

  const bookOf = (plugin: string): Map<string, Kept> => {
    const book = books.get(plugin) ?? readBook(store.read(nameOf(plugin)));
    books.set(plugin, book);
    return book;
  };
  const save = (plugin: string): Promise<void> => {
    const text = JSON.stringify(Object.fromEntries(bookOf(plugin)), undefined, 1);
    const written = (writes.get(plugin) ?? Promise.resolve()).then(() =>
      store.write(nameOf(plugin), text),
    );
    writes.set(
      plugin,
      written.catch(() => {}),
    );
    return written;
  };
  const saveSoon = (plugin: string): void => {
    save(plugin).catch((error: unknown) =>
      warn(`what ${plugin} lists could not be stored: ${messageOf(error)}`),
    );
  };

  /** Returns why each definition is withheld, by name. */
  const compare = (
    plugin: string,
    key: string,
    all: readonly Definition[],
    starting: boolean,
  ): ReadonlyMap<string, string> => {
    const book = bookOf(plugin);
    const kept = book.get(key);
    const now = formatPins(all);
    if (kept === undefined || (starting && fresh.has(`${plugin} ${key}`))) {
      fresh.add(`${plugin} ${key}`);
      book.delete(key);
      book.set(key, { accepted: now });
      for (const oldest of book.keys()) if (book.size > MAX_KEPT) book.delete(oldest);
      if (kept?.accepted !== now) saveSoon(plugin);
      return new Map();
    }
    fresh.delete(`${plugin} ${key}`);
    const pins = readPins(kept.accepted) ?? new Map<string, never>();
    const digest = digestOf(all);
    const withheld = new Map(
      all.flatMap((one): [string, string][] => {
        const pin = pins.get(one.tool);
        // guard: guest-list-pin-compared
        if (pin?.hash === one.hash) return [];
        const what = pin === undefined ? 'is new' : `has changed (${changeOf(pin, one)})`;
        return [[one.tool, sentence(plugin, one, what, digest)]];
      }),
    );
    if (withheld.size > 0 && kept.offered !== now) {
      kept.offered = now;
      saveSoon(plugin);
    }
    return withheld;
  };

  return {
    tools: (instance, plugin, listed, starting) => {
      const all = listed.tools.map(definitionOf);
      const withheld = compare(plugin, `${keyOf(instance)} tools`, all, starting);
      if (withheld.size === 0) return listed;
      const refused = [...withheld].map(([toolId, message]): RefusedTool => {
        return { toolId, code: 'REMOTE_CHANGED', message };
      });
      return {
        ...listed,
        tools: listed.tools.filter(({ toolId }) => !withheld.has(toolId)),
        refused: [...listed.refused, ...refused],
      };
    },
    prompts: (instance, plugin, listed) => {
      const all = listed.map(promptOf);
      const withheld = compare(plugin, `${keyOf(instance)} prompts`, all, false);
      for (const why of withheld.values()) warn(why);
      return listed.filter((one) => !withheld.has(nameIn(one)));
    },
    isWithheld: (instance, plugin, prompt) => {
      const kept = bookOf(plugin).get(`${keyOf(instance)} prompts`);
      const offered = readPins(kept?.offered)?.get(prompt);
      // guard: withheld-prompt-not-answered
      return offered !== undefined && readPins(kept?.accepted)?.get(prompt)?.hash !== offered.hash;
    },
    accept: async (plugin, digest) => {
      await writes.get(plugin);
      // Another process may have stored what it lists.
      books.delete(plugin);
      const waiting = [...bookOf(plugin).values()].filter(({ offered }) => offered !== undefined);
      // guard: guest-list-digest-compared
      const meant = waiting.filter(
        ({ offered }) => digest === undefined || digestOfText(offered ?? '') === digest,
      );
      if (meant.length === 0) throw nothingToAccept(plugin, digest);
      for (const kept of meant) {
        kept.accepted = kept.offered ?? kept.accepted;
        delete kept.offered;
      }
      await save(plugin);
    },
    settled: async () => {
      await Promise.all(writes.values());
    },
  };
}

/** No remote can have such an id. */
function nameOf(plugin: string): string {
  return `plugin:${plugin}`;
}

function readBook(text: string | undefined): Map<string, Kept> {
  const book = new Map<string, Kept>();
  if (text === undefined) return book;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  for (const [key, kept] of Object.entries(isRecord(value) ? value : {})) {
    const { accepted, offered } = isRecord(kept) ? kept : {};
    if (typeof accepted !== 'string') continue;
    book.set(key, { accepted, ...(typeof offered === 'string' ? { offered } : {}) });
  }
  return book;
}

/** What may change what a server lists without anyone's acceptance: nothing of this does. */
function keyOf({ bundle, grant, terms }: Listing): string {
  const { env, powers } = grant.permissions;
  const config = terms['config'];
  const args = isRecord(config) ? (config['args'] ?? []) : [];
  const what = [subjectHashOf(bundle), args, env.toSorted(), powers.toSorted()];
  return createHash('sha256').update(JSON.stringify(what)).digest('hex');
}

function definitionOf(tool: ToolDefinition): Definition {
  const { toolId, name, description, parameters, outputSchema, annotations } = tool;
  const inputSchema = isRecord(parameters.schema) ? parameters.schema : {};
  const pinned = withoutDefaultDates(inputSchema);
  const whole = [name, description, pinned, outputSchema ?? null, { ...annotations }];
  return { tool: toolId, description, inputSchema, hash: hashOf(whole) };
}

function promptOf(prompt: JsonObject): Definition {
  const { description } = prompt;
  return {
    tool: nameIn(prompt),
    description: typeof description === 'string' ? description : '',
    inputSchema: {},
    hash: hashOf(prompt),
  };
}

function nameIn({ name }: JsonObject): string {
  return typeof name === 'string' ? name : '';
}

function hashOf(value: object): string {
  return createHash('sha512')
    .update(canonicalJson(JSON.parse(JSON.stringify(value))))
    .digest('hex');
}

function digestOfText(offered: string): string {
  return createHash('sha256').update(offered).digest('hex').slice(0, 16);
}

/** Characters of a description in a problem. */
const MAX_QUOTED = 1_000;

function sentence(plugin: string, one: Definition, what: string, digest: string): string {
  const { tool, description } = one;
  const cut = description.length > MAX_QUOTED ? '…' : '';
  const quoted = `${JSON.stringify(description.slice(0, MAX_QUOTED))}${cut}`;
  return `${tool} of ${plugin} ${what} since the server was first started with this code, and is withheld until you review it. Its description: ${quoted}. To allow it, run: bulkhead remotes --accept ${shellWord(plugin)} --digest ${digest}`;
}

function nothingToAccept(plugin: string, digest: string | undefined): BulkheadError {
  const which = digest === undefined ? '' : ` with the digest ${digest}`;
  return new BulkheadError(
    'INVALID_OPTIONS',
    `No list of ${plugin}${which} waits for acceptance. Start the server, and use the digest of its message.`,
    { option: 'accept' },
  );
}
