import type { AnyNode } from 'acorn';
import { packageOf } from '../plugin/package-path.js';
import { isPassedOn } from './passed-on.js';
import type { Reading } from './reading.js';

/** What a package uses of the global object by names that are only known at run time. */
export interface GlobalObjectUse {
  readonly permission: 'network' | 'random';
  readonly why: string;
  readonly at: string;
}

/**
 * Finds what packages take from the global object where no rule sees it: one reads it by a name that it gets, as in
 * `self[name]`, and has the name `fetch` as a text; another hands it to its own function, as in `return globalThis`, and
 * draws with a `getRandomValues`. `placeOf`: the place of an offset in the plugin's sources.
 */
export function globalObjectUses(
  reading: Reading,
  placeOf: (offset: number) => string | undefined,
): readonly GlobalObjectUse[] {
  const holders = new Set(
    reading.uses
      .filter(
        ({ node, of }) => of.kind === 'global' && NAMES.has(of.name) && isTaken(node, reading),
      )
      .map(({ node }) => packageAt(node.start, placeOf)),
  );
  holders.delete(undefined);
  if (holders.size === 0) return [];
  const among = (
    permission: GlobalObjectUse['permission'],
    why: string,
    offsets: readonly number[],
  ): readonly GlobalObjectUse[] =>
    offsets.flatMap((offset) => {
      const at = reading.isUnreached(offset) ? undefined : placeOf(offset);
      return at !== undefined && holders.has(packageOf(at)) ? [{ permission, why, at }] : [];
    });
  const fetches = reading.literals.filter(({ text }) => text === 'fetch').map(({ at }) => at);
  return [
    ...among(
      'network',
      'fetch of the global object, at an address that is built at run time',
      fetches,
    ),
    ...among(
      'random',
      'crypto of the global object',
      reading.draws.map(({ start }) => start),
    ),
  ];
}

function packageAt(
  offset: number,
  placeOf: (offset: number) => string | undefined,
): string | undefined {
  const at = placeOf(offset);
  return at === undefined ? undefined : packageOf(at);
}

const NAMES: ReadonlySet<string> = new Set(['global', 'globalThis', 'self', 'window']);

/** Whether other code gets the object, or a member of it whose name is known at run time. */
function isTaken(node: AnyNode, reading: Reading): boolean {
  const parent = reading.parentOf(node);
  const isComputed =
    parent?.type === 'MemberExpression' &&
    parent.object === node &&
    parent.computed &&
    reading.texts(parent.property) === undefined;
  return isComputed || isPassedOn(node, reading, () => true);
}
