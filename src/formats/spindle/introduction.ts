import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { SpindleManifest } from './manifest.js';

/**
 * What an extension is told of itself: `spindle.manifest`, the permissions that it asked for, and
 * the id of its installation, which is the same wherever and whenever it is installed.
 */
export function introduce(written: SpindleManifest, requested: readonly string[]): JsonObject {
  const { bulkhead: _, ...manifest } = written;
  const copy: JsonObject = JSON.parse(JSON.stringify({ ...manifest, permissions: requested }));
  return { manifest: copy, installationId: installationIdOf(manifest.identifier) };
}

/** A UUID (version 8: of our own making) in canonical lower case, which extensions check for. */
function installationIdOf(identifier: string): string {
  const hex = createHash('sha256').update(`spindle:${identifier}`).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}
