/**
 * What a plugin's code cannot know by itself, and may ask: so much of it as makes a run of the code
 * come out the same again. The other part is what the host says to it.
 */
export interface TapeParams {
  /** Where randomness begins: four numbers of 32 bits. */
  readonly seed: readonly number[];
  /** What was recorded: it runs on that. Without it, it records. */
  readonly content?: TapeContent;
}

export interface TapeContent {
  /**
   * What had its turn, in order: 0 for a message of the host's, and for a timer its number, counted
   * from 1 in the order in which they were set.
   */
  readonly turns: readonly number[];
  /** What clocks were read to say, in order, each followed by how often in a row. */
  readonly times: readonly number[];
}

/** Turns, and different readings, that a tape holds. What is beyond it is lost, and says so. */
export const MAX_TAPE_ENTRIES: number = 50_000;
