import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from './plugin-on-disk.js';

export interface ExtensionSpec {
  readonly identifier?: string;
  readonly permissions?: readonly string[];
  /** Further keys of `spindle.json`. */
  readonly manifest?: object;
  /** The source of the backend. */
  readonly source?: string;
  /** Where the backend lies. */
  readonly backend?: string;
  /** Further files, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Writes a Spindle extension to disk; returns its directory. */
export function makeExtension(spec: ExtensionSpec, directory: string = makeDirectory()): string {
  const { identifier = 'sample', permissions = ['tools'], backend = 'dist/backend.js' } = spec;
  const all: Record<string, string> = {
    'spindle.json': JSON.stringify({
      version: '1.0.0',
      name: identifier,
      identifier,
      author: 'someone',
      github: 'https://github.com/someone/sample',
      homepage: '',
      permissions,
      ...spec.manifest,
    }),
    [backend]: spec.source ?? '',
    ...spec.files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

/** Registers tools, and answers each with what its expression gives for `payload`. */
export function answering(tools: Readonly<Record<string, string>>): string {
  const cases = Object.entries(tools).map(
    ([name, expression]) =>
      `if (payload.toolName === ${JSON.stringify(name)}) return (${expression});`,
  );
  const names = Object.keys(tools).map((name) => registering(name));
  return `${names.join('\n')}
    spindle.on('TOOL_INVOCATION', async (payload) => { ${cases.join('\n')} });`;
}

export function registering(name: string, more: object = {}): string {
  return `spindle.registerTool(${JSON.stringify({
    name,
    display_name: name,
    description: `does ${name}`,
    parameters: { type: 'object', properties: {} },
    ...more,
  })});`;
}
