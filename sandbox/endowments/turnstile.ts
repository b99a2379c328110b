/** Lets so many in at a time; the rest wait in line. */
export interface Turnstile {
  enter(): Turn;
}

export interface Turn {
  /** Resolves when it is one's turn. */
  readonly come: Promise<void>;
  /** Makes room for the next, or leaves the line. Only the first call counts. */
  leave(): void;
}

export function makeTurnstile(max: number): Turnstile {
  const line = new Set<() => void>();
  let inside = 0;

  return {
    enter: () => {
      let isInside = false;
      let admit = (): void => undefined;
      const come = new Promise<void>((resolve) => {
        admit = () => {
          isInside = true;
          inside += 1;
          resolve();
        };
      });
      if (inside < max) admit();
      else line.add(admit);
      let left = false;
      return {
        come,
        leave: () => {
          if (left) return;
          left = true;
          line.delete(admit);
          if (!isInside) return;
          inside -= 1;
          const [next] = line;
          if (next === undefined) return;
          line.delete(next);
          next();
        },
      };
    },
  };
}
