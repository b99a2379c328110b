import { createHash } from 'node:crypto';
import { isJsonObject, isRecord } from '../../sandbox/wire/json.js';
import type { JsonObject } from '../../sandbox/wire/messages.js';
import { canonicalJson } from '../canonical.js';
import { BulkheadError, messageOf } from '../errors.js';
import type { RemoteProblem } from './remote.js';
import { shellWord } from '../visible.js';

/** The pinned part of a tool's definition. */
export interface Definition {
  readonly tool: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** sha512 of the whole definition. */
  readonly hash: string;
}

/** The definitions of the first list, or those that the operator accepted, by tool. */
export type Pins = ReadonlyMap<string, Pin>;

export type Pin = Omit<Definition, 'tool'>;

/** Stores one text for each server between runs. */
export interface PinStore {
  read(id: string): string | undefined;
  /** Rejects if the text cannot be stored. */
  write(id: string, text: string): Promise<void>;
  /** Whether a server's first list also needs a review, as under a lock file. Default: it is pinned. */
  readonly reviewsFirstList?: boolean;
}

/** A server's list, compared with its pins. */
export interface PinnedList<Tool> {
  /** The tools whose definitions are pinned. */
  readonly tools: readonly Tool[];
  readonly problems: readonly RemoteProblem[];
}

/**
 * Compares a server's list with its pins. The first list is pinned, unless the store reviews it. A definition
 * that is new or has changed is withheld. If the first list cannot be pinned, all its tools are withheld: a
 * later change of them would not be noticed.
 */
export async function applyPins<Tool extends Definition>(
  id: string,
  all: readonly Tool[],
  pins: PinStore,
): Promise<PinnedList<Tool>> {
  const known = readPins(pins.read(id));
  if (known === undefined && pins.reviewsFirstList !== true) {
    try {
      await pins.write(id, formatPins(all));
      return { tools: all, problems: [] };
    } catch (error) {
      // guard: unpinned-tools-withheld
      return { tools: [], problems: [notStored(id, error)] };
    }
  }
  const digest = digestOf(all);
  const problems = all.flatMap((tool) => reviewProblem(tool, known ?? new Map(), id, digest) ?? []);
  const withheld = new Set(problems.map(({ toolId }) => toolId));
  return { tools: all.filter(({ tool }) => !withheld.has(tool)), problems };
}

/**
 * Pins a list that the operator reviewed. With a digest, only the list with that digest. Rejects with
 * `INVALID_OPTIONS` if the list has changed since, with `REMOTE_FAILED` if the server has not listed its
 * tools, and if the pins cannot be stored.
 */
export async function acceptList(
  id: string,
  all: readonly Definition[] | undefined,
  digest: string | undefined,
  pins: PinStore,
): Promise<void> {
  if (all === undefined) {
    throw new BulkheadError(
      'REMOTE_FAILED',
      `Nothing of ${id} was accepted, because it did not list its tools. Start the server, and run the command again.`,
      { remote: id },
    );
  }
  // guard: remote-digest-compared
  if (digest !== undefined && digest !== digestOf(all)) throw changedSince(id, digest);
  try {
    await pins.write(id, formatPins(all));
  } catch (error) {
    throw new BulkheadError('REMOTE_FAILED', notStored(id, error).message, { remote: id });
  }
}

/** The pins of a server; `undefined` if it has none yet. */
export function readPins(text: string | undefined): Pins | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A file that is not valid accepts nothing: every tool needs a review.
    return new Map();
  }
  if (!isRecord(value)) return new Map();
  return new Map(
    Object.entries(value).flatMap(([tool, pin]): [string, Pin][] => {
      if (!isRecord(pin)) return [];
      const { hash, description, inputSchema } = pin;
      return typeof hash === 'string' &&
        typeof description === 'string' &&
        isJsonObject(inputSchema)
        ? [[tool, { hash, description, inputSchema }]]
        : [];
    }),
  );
}

export function formatPins(definitions: readonly Definition[]): string {
  return JSON.stringify(
    Object.fromEntries(
      definitions
        .toSorted((a, b) => (a.tool < b.tool ? -1 : 1))
        .map(({ tool, hash, description, inputSchema }) => [
          tool,
          { hash, description, inputSchema },
        ]),
    ),
    undefined,
    1,
  );
}

/** Identifies a list of definitions, so that the operator accepts exactly the reviewed list. */
export function digestOf(definitions: readonly Definition[]): string {
  return createHash('sha256').update(formatPins(definitions)).digest('hex').slice(0, 16);
}

/** The problem of a definition that is not the pinned one; `undefined` for the pinned one. */
function reviewProblem(
  definition: Definition,
  pins: Pins,
  id: string,
  digest: string,
): RemoteProblem | undefined {
  const pin = pins.get(definition.tool);
  // guard: remote-pin-hash-compared
  if (pin?.hash === definition.hash) return undefined;
  const { tool } = definition;
  const what = pin === undefined ? 'is new' : `has changed (${changeOf(pin, definition)})`;
  return {
    code: 'REMOTE_CHANGED',
    message: `The tool ${tool} of ${id} ${what} since the server was pinned, and is withheld until you review it. Its description: ${quote(definition)}. To allow it, run: bulkhead remotes --accept ${shellWord(id)} --digest ${digest}`,
    toolId: tool,
  };
}

/** Characters of a description in a problem. The server has the rest. */
const MAX_QUOTED = 1_000;

function quote({ description }: Definition): string {
  const cut = description.length > MAX_QUOTED ? '…' : '';
  return `${JSON.stringify(description.slice(0, MAX_QUOTED))}${cut}`;
}

/** The parts in which a definition differs from its pin. */
export function changeOf(pin: Pin, definition: Definition): string {
  const parts = [
    ...(pin.description === definition.description ? [] : ['its description']),
    ...(canonicalJson(pin.inputSchema) === canonicalJson(definition.inputSchema)
      ? []
      : ['its input']),
  ];
  return parts.length === 0 ? 'its title or its hints' : parts.join(' and ');
}

function notStored(id: string, error: unknown): RemoteProblem {
  const why = messageOf(error);
  return {
    code: 'REMOTE_FAILED',
    message: `The tools of ${id} are withheld, because their definitions could not be stored: ${why}. Make the directory writable, or choose another with storageDirectory.`,
  };
}

function changedSince(id: string, digest: string): BulkheadError {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `The tools of ${id} have changed since the digest ${digest} was shown. Review them again: bulkhead remotes`,
    { option: 'digest' },
  );
}
