import type { Json } from './messages.js';

/** A request of this side that nobody has answered yet. */
export interface Pending {
  readonly maxAnswerBytes: number;
  readonly resolve: (value: Json) => void;
  readonly reject: (error: Error) => void;
}

export interface Asking {
  /** The id of a request that begins. None is used twice. */
  begin(pending: Pending): number;
  has(id: number): boolean;
  /** What waits for that answer, once. */
  end(id: number): Pending | undefined;
  close(error: Error): void;
  readonly open: number;
}

export function makeAsking(): Asking {
  // Each in a box that is emptied when it ends: the tables of a map that turns over with every request
  // keep one another, and all that was in them, until the whole heap is collected.
  const boxes = new Map<number, { pending: Pending | undefined }>();
  let lastId = 0;
  const end = (id: number): Pending | undefined => {
    const box = boxes.get(id);
    if (box === undefined) return undefined;
    boxes.delete(id);
    const { pending } = box;
    box.pending = undefined;
    return pending;
  };
  return {
    begin: (pending) => {
      lastId += 1;
      boxes.set(lastId, { pending });
      return lastId;
    },
    has: (id) => boxes.has(id),
    end,
    close: (error) => {
      for (const id of boxes.keys()) end(id)?.reject(error);
    },
    get open() {
      return boxes.size;
    },
  };
}
