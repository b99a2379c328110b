/** A number from 0 up to 1, each time it is asked. */
export type Dice = () => number;

/**
 * Dice that fall the same way for the same seed, so that a generation can be looked at again.
 * (The generator known as mulberry32.)
 */
export function makeSeededDice(seed: number): Dice {
  let state = Math.trunc(seed) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Whether somebody takes part who does so in `chance` of a hundred cases. 0 is never, 100 always. */
export function takesPart(chance: number, dice: Dice): boolean {
  if (chance >= 100) return true;
  return chance > 0 && dice() * 100 < chance;
}
