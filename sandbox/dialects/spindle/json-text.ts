/**
 * JSON out of a file. Whatever keeps it from being read, the fallback counts where there is one, even
 * if that is `undefined`.
 */
export async function readJsonText(
  read: () => Promise<string>,
  path: unknown,
  options: unknown,
): Promise<unknown> {
  try {
    const value: unknown = JSON.parse(await read());
    return value;
  } catch {
    if (typeof options === 'object' && options !== null && 'fallback' in options) {
      return options.fallback;
    }
    throw new Error(`Failed to parse JSON from ${String(path)}`);
  }
}
