import { join } from 'node:path';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { BulkheadError, messageOf } from '../../errors.js';
import { makePermissions } from '../../permissions/permissions.js';
import {
  array,
  object,
  optional,
  readShape,
  type Shape,
  string,
  wrong,
} from '../../schema/shape.js';
import type { DirectoryReader, FoundPlugin } from '../format.js';
import { readEntryPath, readOwnFile } from '../plugin-files.js';
import { cutText } from '../quote.js';

/** Its manifest. The file of the program stands beside it. */
export const MANIFEST_FILE = 'bulkhead.program.json';

/** The permission to call the tools that the manifest names: a name of the kind `powers`. */
export const CALL_TOOLS = 'call_tools';

const MAX_MANIFEST_BYTES = 256 * 1024;
const MAX_TOOLS = 200;

const jsonObject: Shape<JsonObject> = {
  read: (value, at, problems) => {
    if (!isRecord(value)) return wrong('an object', value, at, problems);
    // The value comes from `JSON.parse`.
    const copy: JsonObject = JSON.parse(JSON.stringify(value));
    return { value: copy };
  },
};

/** `plugin:tool`, each as the engine names them. A pattern would also cover tools that come later. */
const toolId = string('the id of a tool, such as "shop:order", without "*"', (id) =>
  // oxlint-disable-next-line no-control-regex -- these characters are refused
  /^[^:*\u0000-\u001f\u007f]{1,214}:[^:*\u0000-\u001f\u007f]{1,128}$/u.test(id),
);

const manifestShape = object(
  {
    id: string('1 to 64 of the characters a-z, 0-9, "-" and "_"', (id) =>
      /^[a-z0-9][a-z0-9_-]{0,63}$/.test(id),
    ),
    version: optional(string()),
    description: string(),
    program: string('a path'),
    inputSchema: jsonObject,
    tools: array(toolId),
  },
  'refuse',
);

/** Reads the saved program in a directory. Throws `INVALID_MANIFEST` and `OUTSIDE_PLUGIN`. */
export async function readSavedProgram(
  reader: DirectoryReader,
  root: string,
): Promise<FoundPlugin> {
  const text = await readOwnFile(reader, root, MANIFEST_FILE, MAX_MANIFEST_BYTES);
  const read = readShape(manifestShape, parse(text ?? '', root), 'manifest');
  if (!read.ok) throw invalid(root, read.problems);
  const { id, version, description, program, inputSchema, tools } = read.value;
  // guard: saved-program-tools-cap
  if (tools.length > MAX_TOOLS) throw invalid(root, [`tools: are more than ${MAX_TOOLS}`]);
  return {
    plugin: {
      id,
      format: 'saved-program',
      directory: root,
      manifest: MANIFEST_FILE,
      name: id,
      version: version === undefined ? undefined : cutText(version, 100),
      description: cutText(description, 1_000),
      about: {},
      entries: [
        {
          key: 'program',
          surface: 'tools',
          file: readEntryPath(program, `${MANIFEST_FILE}: program`),
          dialect: 'saved-program',
          confinement: 'compartment',
          declared: makePermissions((name) => (name === 'powers' ? [CALL_TOOLS] : [])),
          requireApproval: false,
          pluginInfo: { description, inputSchema, tools },
        },
      ],
      environment: [],
      config: [],
    },
    problems: [],
  };
}

function parse(text: string, root: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(root, [`it is not JSON: ${messageOf(error)}`]);
  }
}

function invalid(root: string, problems: readonly string[]): BulkheadError<'INVALID_MANIFEST'> {
  const file = join(root, MANIFEST_FILE);
  return new BulkheadError(
    'INVALID_MANIFEST',
    `${file} is not the manifest of a saved program: ${problems.join('; ')}.`,
    { file, problems },
  );
}
