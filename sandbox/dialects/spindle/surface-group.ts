import type { Json } from '../../wire/messages.js';

/** Members of one namespace that the host does, and nothing else. */
export interface SurfaceGroup {
  /** e.g. `world_books.entries`; members of `''` are `spindle`'s own. */
  readonly path: string;
  /** What all of them need, where they need anything. */
  readonly permission?: string;
  /** Names of what only reads, each with its answer where the host does not provide it. */
  readonly reads?: Readonly<Record<string, EmptyAnswer>>;
  /** Names of what changes something. */
  readonly writes?: string;
  /** Names of what is told to the host and answers nothing. */
  readonly tells?: string;
}

/** `page`: `{ data: [], total: 0 }`. `none`: there is no empty answer, it rejects. */
export type EmptyAnswer = 'page' | 'list' | 'null' | 'false' | 'record' | 'none';

export const emptyAnswers: Readonly<Record<EmptyAnswer, (() => Json) | undefined>> = {
  page: () => ({ data: [], total: 0 }),
  list: () => [],
  null: () => null,
  false: () => false,
  record: () => ({}),
  none: undefined,
};
