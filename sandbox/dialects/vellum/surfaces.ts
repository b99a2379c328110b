/** A plugin's files of one kind, each loaded when it is first asked for, and once. */
export interface SurfaceGroup {
  /** In the order of their files' names. */
  readonly stems: readonly string[];
  /**
   * What the file exports by default: `undefined` where it exports nothing of the kind. Rejects with
   * whatever loading it throws, the same each time.
   */
  load(stem: string): Promise<LoadedSurface>;
}

/** In a box of its own: what a plugin exports may be a thenable, which must not settle a promise. */
export interface LoadedSurface {
  readonly exported: unknown;
}

export interface Surfaces {
  readonly tools: SurfaceGroup;
  readonly hooks: SurfaceGroup;
}

/** Opens what the entry of a bundle of surfaces exports: `{ tools: { stem: load }, hooks: … }`. */
export function openSurfaces(exports: Readonly<Record<string, unknown>>): Surfaces {
  return { tools: openGroup(exports['tools']), hooks: openGroup(exports['hooks']) };
}

function openGroup(loaders: unknown): SurfaceGroup {
  const byStem = new Map(Object.entries(typeof loaders === 'object' ? { ...loaders } : {}));
  const loaded = new Map<string, Promise<LoadedSurface>>();
  const start = async (stem: string): Promise<LoadedSurface> => {
    const load = byStem.get(stem);
    if (typeof load !== 'function') return { exported: undefined };
    const namespace: unknown = await Reflect.apply(load, undefined, []);
    const isHolder = typeof namespace === 'object' && namespace !== null;
    return { exported: isHolder ? Reflect.get(namespace, 'default') : undefined };
  };
  return {
    stems: [...byStem.keys()],
    load: (stem) => {
      const surface = loaded.get(stem) ?? start(stem);
      loaded.set(stem, surface);
      return surface;
    },
  };
}
