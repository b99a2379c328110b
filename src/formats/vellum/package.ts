import { isObject, type ShapeResult } from '../../schema/shape.js';

/** Where a plugin of Vellum's says what it is. */
export const MANIFEST_FILE = 'package.json';

/** The package of types, constants and handles that a plugin declares as its peer. */
export const PLUGIN_API = '@vellumai/plugin-api';

/** What of a plugin's `package.json` counts. */
export interface VellumPackage {
  /** As written, with its scope. */
  readonly name: string;
  readonly version: string;
  readonly displayName: string | undefined;
  readonly about: Readonly<Record<string, string>>;
  readonly description: string | undefined;
  readonly peers: Readonly<Record<string, unknown>>;
  /** Whether it has the key `vellum`. */
  readonly saysPlugin: boolean;
  /** The keys `config` and `requiresCredential`, in the package or in its key `vellum` or `bulkhead`. */
  readonly config: unknown;
  readonly requiresCredential: unknown;
  /** The key `bulkhead`, as it is. */
  readonly bulkhead: unknown;
}

/** Reads a `package.json`. Only a name has to be there. */
export function parsePackage(text: string): ShapeResult<VellumPackage> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, problems: [`is not JSON: ${why}`] };
  }
  if (!isObject(value)) return { ok: false, problems: ['is not an object'] };
  const name = textOf(value['name']);
  if (name === undefined) return { ok: false, problems: ['name: is missing'] };
  const peers = value['peerDependencies'];
  return {
    ok: true,
    value: {
      name,
      version: textOf(value['version']) ?? '0.0.0',
      displayName: textOf(value['displayName']),
      about: aboutOf(value),
      description: textOf(value['description']),
      peers: isObject(peers) ? peers : {},
      saysPlugin: Object.hasOwn(value, 'vellum'),
      config: ownOr(value, 'config'),
      requiresCredential: ownOr(value, 'requiresCredential'),
      bulkhead: value['bulkhead'],
    },
  };
}

/** npm has a key `config` of its own, which is no schema: one that says its type, is. */
function ownOr(value: Readonly<Record<string, unknown>>, key: string): unknown {
  for (const holder of [value['bulkhead'], value['vellum'], value]) {
    const found = isObject(holder) ? holder[key] : undefined;
    if (found === undefined) continue;
    if (key !== 'config' || holder !== value) return found;
    if (isObject(found) && ('type' in found || 'properties' in found)) return found;
  }
  return undefined;
}

const ABOUT = ['author', 'icon', 'homepage', 'license'];

function aboutOf(value: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ABOUT.flatMap((key) => {
      const text = textOf(value[key]);
      return text === undefined ? [] : [[key, text]];
    }),
  );
}

/** A text that says something. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
