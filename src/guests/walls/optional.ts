/** Walls that the operator can leave out: they cost time, or a machine may not have them. */
export const OPTIONAL_WALLS = ['no-network', 'no-jit'] as const;

export type OptionalWall = (typeof OPTIONAL_WALLS)[number];

/** An empty network adds two milliseconds to a start. `no-jit` makes code some ten times slower. */
export const DEFAULT_WALLS: readonly OptionalWall[] = ['no-network'];

export function isOptionalWall(name: string): name is OptionalWall {
  return OPTIONAL_WALLS.some((wall) => wall === name);
}
