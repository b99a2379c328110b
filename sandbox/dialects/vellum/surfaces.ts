/** A plugin's files of one kind. Each is loaded once, on first use. */
export interface SurfaceGroup {
  /** In the order of the files' names. */
  readonly stems: readonly string[];
  /**
   * The file's default export, or `undefined` if there is none. If the load fails, every call
   * rejects with the same error.
   */
  load(stem: string): Promise<LoadedSurface>;
}

/** Wraps the export, because it may be a thenable. */
export interface LoadedSurface {
  readonly exported: unknown;
}

export interface Surfaces {
  readonly tools: SurfaceGroup;
  readonly hooks: SurfaceGroup;
}

/** Reads the export of a bundle's entry: `{ tools: { stem: load }, hooks: … }`. */
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
