/** The origin of a request's address. An address without a host, as `mcp:model`, is its own origin. */
export function originOf(url: string): string {
  const { origin, href } = new URL(url);
  return origin === 'null' ? href : origin;
}
