import { object, optional } from '../../schema/shape-object.js';
import {
  array,
  boolean,
  number,
  readShape,
  string,
  type Shape,
  type ShapeResult,
} from '../../schema/shape.js';
import { bulkheadShape, type BulkheadRequest } from './bulkhead-key.js';

/** `spindle.json`. Keys that are not named here are dropped, as the original does. */
export interface SpindleManifest {
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
  /** What Bulkhead is asked for beyond what Spindle's own permissions say: hosts, above all. */
  readonly bulkhead?: BulkheadRequest;
}

export interface SpindleSeedFile {
  readonly from: string;
  readonly to?: string;
  readonly overwrite?: boolean;
  readonly required?: boolean;
}

/** Reads a manifest's text. Problems are named by their path in the manifest. */
export function parseManifest(text: string): ShapeResult<SpindleManifest> {
  let data: unknown;
  try {
    // Some editors begin a file with a mark that is no JSON.
    data = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : String(error);
    return { ok: false, problems: [`manifest: is not JSON: ${why}`] };
  }
  return readShape(manifestShape, data, 'manifest');
}

const IDENTIFIER = /^[a-z][a-z0-9_]{0,127}$/;

const filled = string('a text that is not empty', (text) => text.trim() !== '');
// An address is shown to people, who click on it.
const address = string('an address that begins with https://, or empty', isWebAddress);

const manifestShape: Shape<SpindleManifest> = object({
  version: filled,
  name: filled,
  // Lumiverse calls servers' tools mcp:…, and nobody is taken for one.
  identifier: string(
    'lower case letters, digits and "_", a letter first, and not "mcp", which stands for servers',
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
  bulkhead: optional(bulkheadShape),
});

function isWebAddress(text: string): boolean {
  return text === '' || (URL.canParse(text) && new URL(text).protocol === 'https:');
}
