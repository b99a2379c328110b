import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import { moduleOf } from './build-program.js';
import type { FinishedProgram } from './finished-programs.js';

/** The name of its manifest, as its plugin system reads it. */
const MANIFEST_FILE = 'bulkhead.program.json';
const PROGRAM_FILE = 'program.ts';

/**
 * The files of a plugin whose tool is the finished program, by path. The schema of its input is made from the
 * input that the program ran with, unless one is given.
 */
export function filesOfSavedProgram(
  { source, input, tools }: FinishedProgram,
  about: {
    readonly id: string;
    readonly description: string;
    readonly inputSchema?: JsonObject | undefined;
  },
): Readonly<Record<string, string>> {
  const manifest = {
    id: about.id,
    version: '1.0.0',
    description: about.description,
    program: PROGRAM_FILE,
    inputSchema: about.inputSchema ?? schemaOf(input, 0),
    tools,
  };
  return {
    [MANIFEST_FILE]: `${JSON.stringify(manifest, undefined, 2)}\n`,
    [PROGRAM_FILE]: moduleOf(source),
  };
}

const MAX_DEPTH = 8;

/** The narrowest plain schema that fits a value: types, all members required, and no others. */
export function schemaOf(value: Json, depth: number): JsonObject {
  if (value === null) return { type: 'null' };
  if (depth > MAX_DEPTH) return {};
  if (Array.isArray(value)) {
    const [first] = value;
    const items = first === undefined ? {} : { items: schemaOf(first, depth + 1) };
    return { type: 'array', ...items };
  }
  if (!isRecord(value)) return { type: typeof value };
  const members = Object.entries(value);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, one]) => [name, schemaOf(one, depth + 1)])),
    required: members.map(([name]) => name),
    additionalProperties: false,
  };
}
