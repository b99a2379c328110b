/** As `engines` of package.json. */
export const NODE_RANGE = '>=20.19';

/** Why this runtime cannot run the product, as one line; `undefined` if it can. `started`: what Node would start. */
export function whyUnsupported(
  { bun, deno, node }: Readonly<Record<string, string | undefined>>,
  started: string,
): string | undefined {
  const runtime = bun === undefined ? (deno === undefined ? undefined : 'Deno') : 'Bun';
  if (runtime !== undefined) {
    return `Bulkhead runs on Node.js ${NODE_RANGE}, and this is ${runtime}. Its walls need Node.js. Run: node ${started}`;
  }
  const [major = 0, minor = 0] = (node ?? '0').split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return undefined;
  return `Bulkhead needs Node.js ${NODE_RANGE}, and this is ${node}. Install a newer Node.js from https://nodejs.org.`;
}
