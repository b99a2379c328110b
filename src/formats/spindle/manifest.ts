import { parseJsonText } from '../../schema/json-text.js';
import {
  type Shape,
  type ShapeResult,
  array,
  boolean,
  number,
  object,
  optional,
  readShape,
  string,
} from '../../schema/shape.js';
import { type ManifestPermissions, permissionsShape } from '../manifest-permissions.js';

/**
 * `spindle.json`. Other keys are dropped, as in the original. `schemas/spindle.schema.json` has the same rules for
 * editors; a test compares them.
 */
export interface SpindleManifest {
  readonly $schema?: string;
  readonly version: string;
  readonly name: string;
  readonly identifier: string;
  readonly author: string;
  readonly github?: string;
  readonly homepage?: string;
  readonly description?: string;
  readonly permissions?: readonly string[];
  readonly requested_capabilities?: readonly string[];
  readonly entry_backend?: string;
  readonly entry_frontend?: string;
  readonly minimum_lumiverse_version?: string;
  readonly storage_seed_files?: readonly SpindleSeedFile[];
  readonly interceptorTimeoutMs?: number;
  /**
   * Permissions beyond Spindle's own: which hosts, variables and files. `false` for `time`, `random`
   * or `storage` requests less than the default.
   *
   * `"bulkhead": { "permissions": { "network": ["api.example.com"], "env": ["API_KEY"] } }`
   */
  readonly bulkhead?: { readonly permissions?: ManifestPermissions };
}

export interface SpindleSeedFile {
  readonly from: string;
  readonly to?: string;
  readonly overwrite?: boolean;
  readonly required?: boolean;
}

/** Reads a manifest's text. Problems begin with their path in the manifest. */
export function parseManifest(text: string): ShapeResult<SpindleManifest> {
  const data = parseJsonText(text);
  return data.ok
    ? readShape(manifestShape, data.value, 'manifest')
    : { ok: false, problems: [`manifest: ${data.problem}`] };
}

const IDENTIFIER = /^[a-z][a-z0-9_]{0,127}$/;

const filled = string('a text that is not empty', (text) => text.trim() !== '');
// Users see the address and click on it.
const address = string('an address that begins with https://, or empty', isWebAddress);

export const manifestShape: Shape<SpindleManifest> = object({
  $schema: optional(string()),
  version: filled,
  name: filled,
  // Lumiverse names servers' tools mcp:…, so an extension cannot have that identifier.
  identifier: string(
    'lower case letters, digits and "_", a letter first, and not "mcp", which is reserved for servers',
    (text) => IDENTIFIER.test(text) && text !== 'mcp',
  ),
  author: filled,
  github: optional(address),
  homepage: optional(address),
  description: optional(string()),
  permissions: optional(array(string())),
  requested_capabilities: optional(array(string())),
  entry_backend: optional(filled),
  entry_frontend: optional(filled),
  minimum_lumiverse_version: optional(string()),
  storage_seed_files: optional(
    array(
      object({
        from: filled,
        to: optional(filled),
        overwrite: optional(boolean),
        required: optional(boolean),
      }),
    ),
  ),
  interceptorTimeoutMs: optional(number),
  bulkhead: optional(object({ permissions: optional(permissionsShape) })),
});

function isWebAddress(text: string): boolean {
  return text === '' || (URL.canParse(text) && new URL(text).protocol === 'https:');
}
