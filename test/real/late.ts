import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../sandbox/wire/messages.js';
import { isRecord } from '../../sandbox/wire/json.js';

/** Steps before and after, in which an effect of a step can show. */
const REACH = 3;

/**
 * Whether two answers differ only in when their effects showed: each effect of the one run is an
 * effect of the other run in the same step or in one close to it. Effects that no call waits for
 * have no order that a plugin can rely on.
 */
export function onlyLater(ours: readonly Json[], oracle: readonly Json[], at: number): boolean {
  const [mine, theirs] = [effectsOf(ours[at]), effectsOf(oracle[at])];
  if (mine === undefined || theirs === undefined) return false;
  if (!isDeepStrictEqual(mine.rest, theirs.rest)) return false;
  const near = (run: readonly Json[]): ReadonlySet<string> =>
    new Set(
      run
        .slice(Math.max(0, at - REACH), at + REACH + 1)
        .flatMap((answer) => effectsOf(answer)?.effects ?? []),
    );
  const [nearMine, nearTheirs] = [near(ours), near(oracle)];
  return (
    mine.effects.every((effect) => nearTheirs.has(effect)) &&
    theirs.effects.every((effect) => nearMine.has(effect))
  );
}

function effectsOf(
  outcome: Json | undefined,
): { readonly effects: readonly string[]; readonly rest: unknown } | undefined {
  const answer = isRecord(outcome) ? outcome['answer'] : undefined;
  if (!isRecord(answer) || !isRecord(outcome) || !Array.isArray(answer['effects']))
    return undefined;
  const { effects, ...others } = answer;
  return {
    effects: effects.map(String),
    rest: { ...outcome, answer: others },
  };
}
