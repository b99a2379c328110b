import { CodedError } from '../../wire/failure.js';
import type { CallWorld, DialectWorld } from '../dialect.js';
import type { SurfaceGroup } from './surfaces.js';
import { makeToolContext } from './tool-context.js';

/**
 * Says of each file of `tools/` what it exports: `{"tools": [{ "stem": …, … }]}`, where the rest is
 * `"tool"`, its fields; or `"error"`, what loading it threw; or `"exports"`, the type of something
 * that is no tool.
 */
export async function describeTools(tools: SurfaceGroup, world: DialectWorld): Promise<string> {
  const described = await Promise.all(tools.stems.map((stem) => describeTool(tools, stem, world)));
  return `{"tools":[${described.join(',')}]}`;
}

const FIELDS = [
  'name',
  'description',
  'input_schema',
  'defaultRiskLevel',
  'category',
  'executionTarget',
  'exclusive',
];

async function describeTool(
  tools: SurfaceGroup,
  stem: string,
  world: DialectWorld,
): Promise<string> {
  const named = `{"stem":${JSON.stringify(stem)}`;
  try {
    const { exported } = await withinPatience(tools.load(stem), world);
    if (!isObject(exported)) return `${named},"exports":${JSON.stringify(typeName(exported))}}`;
    const fields = FIELDS.map((field): [string, unknown] => [field, Reflect.get(exported, field)]);
    return `${named},"tool":${world.serialize(Object.fromEntries(fields))}}`;
  } catch (error) {
    return `${named},"error":${world.serialize(messageOf(error))}}`;
  }
}

/** A file that takes longer to load is told of as one that cannot be, and holds up no other. */
const PATIENCE_MS = 5_000;

function withinPatience<Value>(loading: Promise<Value>, { powers }: DialectWorld): Promise<Value> {
  const { setTimeout, clearTimeout } = powers.clock;
  return new Promise((resolve, reject) => {
    const late = `it did not finish loading within ${PATIENCE_MS} ms`;
    const timer = setTimeout(() => reject(new CodedError('LOAD_FAILED', late)), PATIENCE_MS);
    loading.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Runs the tool of a file. The answer is the plugin's own value, or a promise of it. */
export async function callTool(
  tools: SurfaceGroup,
  name: string,
  input: unknown,
  call: CallWorld,
  { serialize, powers }: Pick<DialectWorld, 'serialize' | 'powers'>,
): Promise<unknown> {
  const { surface } = call;
  if (surface === undefined || !tools.stems.includes(surface)) {
    throw new CodedError('TOOL_NOT_FOUND', `no tool has the name ${name}`);
  }
  const { exported } = await tools.load(surface);
  if (!isObject(exported)) {
    throw new CodedError('INVALID_TOOL', `the file of ${name} exports no tool by default`);
  }
  const execute: unknown = Reflect.get(exported, 'execute');
  if (typeof execute !== 'function') {
    const kind = powers.plugin.id === WORKSPACE ? 'workspace tool' : 'tool';
    return { content: `${kind} ${name} has no execute implementation`, isError: true };
  }
  try {
    return await Reflect.apply(execute, exported, [input, makeToolContext(call)]);
  } catch (thrown) {
    throw isError(thrown) ? thrown : new ThrownValue(thrown, serialize);
  }
}

/** The id under which a host runs the tools of its workspace. */
const WORKSPACE = '(workspace)';

/** What a tool threw that is no error: a text is the message, anything else is told as JSON. */
class ThrownValue extends Error {
  override readonly name: string = 'ThrownValue';

  constructor(thrown: unknown, serialize: DialectWorld['serialize']) {
    super(typeof thrown === 'string' ? thrown : serialize(thrown));
  }
}

function isError(value: unknown): boolean {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'an error that cannot be read';
  }
}
