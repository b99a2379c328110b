const origins = new WeakMap<Error, unknown>();

/**
 * Says what an error of ours reports. Its description has the stack of that, because plugin code cannot read
 * stacks and an error of ours has none in the plugin's files.
 */
export function withOrigin(error: Error, origin: unknown): Error {
  origins.set(error, origin);
  return error;
}

/** What was thrown: the origin of the error, or else the error itself. */
export function originOf(error: Error): Error {
  const origin = origins.get(error);
  return origin instanceof Error ? origin : error;
}
