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
      bulkhead: value['bulkhead'],
    },
  };
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
