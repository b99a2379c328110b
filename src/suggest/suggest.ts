import type { Suggestion } from './suggestion.js';

/**
 * Reads a plugin's code without running it, and returns the least request for permissions that the
 * code needs, each with its place in the sources. Throws `PLUGIN_NOT_FOUND`, and the errors of
 * reading and bundling a plugin.
 */
export async function suggestPermissions(directory: string): Promise<Suggestion> {
  // Read at this moment, so that importing the package costs little.
  const { findPermissions } = await import('./find-permissions.js');
  return findPermissions(directory);
}
