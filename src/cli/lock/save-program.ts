import { basename, resolve } from 'node:path';
import { isJsonObject } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { filesOfSavedProgram } from '../../engine/programs/save-program.js';
import { visible } from '../../visible.js';
import type { CliCapabilities } from '../capabilities.js';
import { reasonOf, usageError } from '../failure.js';

export interface SaveProgramSettings {
  /** The id of a finished program. */
  readonly program?: string;
  readonly description?: string;
  readonly inputSchema?: string;
  readonly storageDirectory?: string;
  readonly keyFile?: string;
}

/** Writes a finished program as a plugin into a new directory. The directory's name is the plugin's id. */
export async function saveProgram(
  id: string,
  directories: readonly string[],
  settings: SaveProgramSettings,
  capabilities: CliCapabilities,
): Promise<void> {
  const [directory, ...more] = directories;
  if (directory === undefined || more.length > 0) {
    throw usageError('plugin', '--program takes one new directory, whose name is the id');
  }
  const name = basename(resolve(directory));
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)) {
    throw usageError(
      'plugin',
      `${visible(name)} is not a name of a saved program; use 1 to 64 of the characters a-z, 0-9, "-" and "_"`,
    );
  }
  const { storageDirectory, keyFile, inputSchema, description } = settings;
  const finished = capabilities.readFinishedProgram(id, {
    ...(storageDirectory === undefined ? {} : { storageDirectory: resolve(storageDirectory) }),
    ...(keyFile === undefined ? {} : { enclaveKeyFile: resolve(keyFile) }),
  });
  const schema =
    inputSchema === undefined ? undefined : await readSchema(inputSchema, capabilities);
  const files = filesOfSavedProgram(finished, {
    id: name,
    description: description ?? `Runs the saved program ${name}`,
    inputSchema: schema,
  });
  await capabilities.makeProject(directory, files).catch((error: unknown) => {
    throw usageError('plugin', `${visible(directory)} cannot be written: ${reasonOf(error)}`);
  });
  const tools = finished.tools.map((tool) => `  ${visible(tool)}\n`).join('');
  await capabilities.stderr.write(
    `wrote the program to ${visible(directory)}. It may call ${tools === '' ? 'no tools\n' : `these tools:\n${tools}`}`,
  );
}

async function readSchema(
  file: string,
  { readFile }: Pick<CliCapabilities, 'readFile'>,
): Promise<JsonObject> {
  try {
    const schema: unknown = JSON.parse(await readFile(file));
    if (isJsonObject(schema)) return schema;
  } catch (error) {
    throw usageError('--input-schema', `${visible(file)} cannot be read: ${reasonOf(error)}`);
  }
  throw usageError('--input-schema', `${visible(file)} is not a JSON object`);
}
