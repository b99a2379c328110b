import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Engine, EngineOptions } from '../../src/index.js';
import { makeDirectory, startEngine } from './plugin-on-disk.js';

export interface VellumSpec {
  /** The package's name. Default: `sample`. */
  readonly name?: string;
  /** The range of the plugin API that it declares. Default: `^0.8.0`. */
  readonly api?: string;
  /** Further keys of `package.json`. */
  readonly manifest?: object;
  /** What it asks for, in the key `bulkhead`. */
  readonly permissions?: object;
  /** Files of `tools/`, by their names; without an extension: `.ts`. */
  readonly tools?: Readonly<Record<string, string>>;
  /** Files of `hooks/`, likewise. */
  readonly hooks?: Readonly<Record<string, string>>;
  /** Further files, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Writes a Vellum plugin to disk; returns its directory. */
export function makeVellum(spec: VellumSpec, directory: string = makeDirectory()): string {
  const { name = 'sample', api = '^0.8.0', permissions, manifest = {} } = spec;
  const all: Record<string, string> = {
    'package.json': JSON.stringify({
      name,
      version: '1.0.0',
      peerDependencies: { '@vellumai/plugin-api': api },
      ...(permissions === undefined ? {} : { bulkhead: { permissions } }),
      ...manifest,
    }),
    ...inFolder('tools', spec.tools),
    ...inFolder('hooks', spec.hooks),
    ...spec.files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

function inFolder(
  folder: string,
  files: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [
      `${folder}/${/\.\w+$/.test(name) ? name : `${name}.ts`}`,
      text,
    ]),
  );
}

/** An engine of that one plugin, granting what it declares. */
export function startVellum(
  spec: VellumSpec,
  options: Partial<EngineOptions> = {},
): Promise<Engine> {
  return startEngine([makeVellum(spec)], options);
}
