import type { Waiter } from './service.js';

/** The requests of this side that nobody has answered yet. */
export interface Asking {
  /** The id of a request that begins. None is used twice. */
  begin(waiter: Waiter): number;
  has(id: number): boolean;
  /** What waits for that answer, once. */
  end(id: number): Waiter | undefined;
  close(error: Error): void;
  readonly open: number;
}

export function makeAsking(): Asking {
  // Each in a box that is emptied when it ends: the tables of a map that turns over with every request
  // keep one another, and all that was in them, until the whole heap is collected.
  const boxes = new Map<number, { waiter: Waiter | undefined }>();
  let lastId = 0;
  const end = (id: number): Waiter | undefined => {
    const box = boxes.get(id);
    if (box === undefined) return undefined;
    boxes.delete(id);
    const { waiter } = box;
    box.waiter = undefined;
    return waiter;
  };
  return {
    begin: (waiter) => {
      lastId += 1;
      boxes.set(lastId, { waiter });
      return lastId;
    },
    has: (id) => boxes.has(id),
    end,
    close: (error) => {
      for (const id of boxes.keys()) end(id)?.failed(error);
    },
    get open() {
      return boxes.size;
    },
  };
}
