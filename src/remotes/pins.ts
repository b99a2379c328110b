import { createHash } from 'node:crypto';
import { isRecord } from '../../sandbox/wire/parse.js';
import type { RemoteProblem } from './remote.js';

/** What a tool says of itself, as far as it is pinned. */
export interface Definition {
  readonly tool: string;
  readonly description: string;
  readonly schemaHash: string;
  /** Of all of it. */
  readonly hash: string;
}

/** The definitions that somebody reviewed, or that were there first, by tool. */
export type Pins = ReadonlyMap<string, Pin>;

export interface Pin {
  readonly hash: string;
  readonly description: string;
  readonly schemaHash: string;
}

/** Where pins are kept between runs, as a text for each server. */
export interface PinStore {
  read(id: string): string | undefined;
  keep(id: string, text: string): Promise<void>;
}

/** The pins of a server; `undefined` where it has none yet. */
export function readPins(text: string | undefined): Pins | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // What cannot be read approves nothing: everything waits for a review.
    return new Map();
  }
  if (!isRecord(value)) return new Map();
  return new Map(
    Object.entries(value).flatMap(([tool, pin]): [string, Pin][] => {
      if (!isRecord(pin)) return [];
      const { hash, description, schemaHash } = pin;
      return typeof hash === 'string' &&
        typeof description === 'string' &&
        typeof schemaHash === 'string'
        ? [[tool, { hash, description, schemaHash }]]
        : [];
    }),
  );
}

export function writePins(definitions: readonly Definition[]): string {
  return JSON.stringify(
    Object.fromEntries(
      definitions
        .toSorted((a, b) => (a.tool < b.tool ? -1 : 1))
        .map(({ tool, hash, description, schemaHash }) => [
          tool,
          { hash, description, schemaHash },
        ]),
    ),
    undefined,
    1,
  );
}

/** Names definitions, so that who looked at them accepts these and no others. */
export function digestOf(definitions: readonly Definition[]): string {
  return createHash('sha256').update(writePins(definitions)).digest('hex').slice(0, 16);
}

/** Why a definition waits for a review; `undefined` where it is the one that was pinned. */
export function whyWaits(
  definition: Definition,
  pins: Pins,
  id: string,
  digest: string,
): RemoteProblem | undefined {
  const pin = pins.get(definition.tool);
  if (pin?.hash === definition.hash) return undefined;
  const { tool } = definition;
  const what = pin === undefined ? 'is new' : `has changed: ${changed(pin, definition)}`;
  return {
    code: 'REMOTE_CHANGED',
    message: `The tool ${tool} of ${id} ${what} since it was pinned, and is not offered until somebody has looked at it. It says of itself: ${said(definition)}. To allow it, pin it anew: bulkhead remotes --accept ${id} --digest ${digest}`,
    toolId: tool,
  };
}

/** Enough to see what it is after; all of it is the operator's to ask the server for. */
const MAX_SAID = 1_000;

function said({ description }: Definition): string {
  const cut = description.length > MAX_SAID ? '…' : '';
  return `${JSON.stringify(description.slice(0, MAX_SAID))}${cut}`;
}

function changed(pin: Pin, definition: Definition): string {
  const parts = [
    ...(pin.description === definition.description ? [] : ['its description']),
    ...(pin.schemaHash === definition.schemaHash ? [] : ['its input']),
  ];
  return parts.length === 0 ? 'its title or its hints' : parts.join(' and ');
}
