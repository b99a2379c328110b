import { createHash } from 'node:crypto';
import { parseBundle } from '../plugin/bundle/parse-built.js';
import { canonicalJson } from '../plugin/canonical.js';
import type { Bundle, Plugin } from '../plugin/plugin.js';
import { checkSchema } from '../schema/check.js';
import type { Json } from '../../sandbox/wire/messages.js';

/** A plugin as it was accepted: what its manifest said, and the code that it was. */
export interface KeptPlugin {
  /** Without its directory, which is where it is now. */
  readonly plugin: Omit<Plugin, 'directory'>;
  /** By the entry's key. */
  readonly bundles: Readonly<Record<string, Bundle>>;
}

/** What a plugin is besides its code and where it lies: what a person reviews of its manifest. */
export function modelOf(plugin: Plugin): Omit<Plugin, 'directory'> {
  const { directory: _, installedAtMs: __, disabled: ___, ...model } = plugin;
  return model;
}

/** The text to keep, and its address: whoever finds other bytes there finds nothing. */
export function writeKept(kept: KeptPlugin): { readonly text: string; readonly address: string } {
  const bundles = Object.fromEntries(
    Object.entries(kept.bundles).map(([key, bundle]) => {
      // Named, because what a cache lends may be read only when it is asked for.
      const { code, hash, sourceMap, assignedGlobals, inputs, warnings, broken } = bundle;
      return [key, { code, hash, sourceMap, assignedGlobals, inputs, warnings, broken }];
    }),
  );
  const { configSchema, ...plain } = kept.plugin;
  // What was checked does not show itself in JSON.
  const schema = configSchema === undefined ? {} : { configSchema: configSchema.schema };
  const text = textOf({ made: MADE, plugin: { ...plain, ...schema }, bundles });
  return { text, address: addressOf(text) };
}

/** Reads what is kept under an address; `undefined` for anything but what was written there. */
export function readKept(text: string, address: string): KeptPlugin | undefined {
  if (addressOf(text) !== address) return undefined;
  // Its hash says that this is what `writeKept` wrote; `made`, that it wrote it as we do.
  const data: { made?: unknown; plugin: WrittenPlugin; bundles: object } = JSON.parse(text);
  if (data.made !== MADE) return undefined;
  const bundles: Record<string, Bundle> = {};
  for (const [key, value] of Object.entries(data.bundles)) {
    const bundle = parseBundle(value);
    if (bundle === undefined) return undefined;
    bundles[key] = bundle;
  }
  const { configSchema, ...plain } = data.plugin;
  const schema =
    configSchema === undefined ? {} : { configSchema: checkSchema(configSchema, 'config') };
  return { plugin: { ...plain, ...schema }, bundles };
}

type WrittenPlugin = Omit<KeptPlugin['plugin'], 'configSchema'> & { readonly configSchema?: Json };

/** Changes whenever the model of a plugin does. */
const MADE = 1;

function addressOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('hex')}`;
}

function textOf(value: object): string {
  const plain: Json = JSON.parse(JSON.stringify(value));
  return canonicalJson(plain);
}
