/** The turn of one writer of a database. It lapses, because its guest may have ended. */
export interface Turn {
  readonly token: string;
  readonly until: number;
}

/** The turns of the writers of one store, by area and path. */
export type Turns = Map<string, Turn>;
