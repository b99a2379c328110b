import { CodedError } from '../../wire/failure.js';
import type { GuestGrant, GuestMount } from '../../wire/methods.js';
import type { CallWorld, DialectWorld } from '../dialect.js';
import type { SurfaceGroup } from './surfaces.js';
import { isRecord } from '../../wire/json.js';
import { makeToolBudget, OVER_BUDGET, shortDescription, unreadKeys } from '../tool-list.js';
import { withSignal } from '../with-signal.js';

/**
 * Describes each file of `tools/`, as `{"tools": [{ "stem": …, … }]}`. Each item has `"tool"` with
 * its fields, `"error"` if the load failed, `"problem"` if its fields cannot be described,
 * or `"exports"` with the type of an export that is not a tool.
 */
export async function describeTools(tools: SurfaceGroup, world: DialectWorld): Promise<string> {
  const described = await Promise.all(tools.stems.map((stem) => describeTool(tools, stem, world)));
  const budget = makeToolBudget(world);
  const fitting = described.map((text, index) =>
    budget.take(text)
      ? text
      : `${startOf(tools.stems[index] ?? '')},"problem":${world.serialize(OVER_BUDGET)}}`,
  );
  return `{"tools":[${fitting.join(',')}]}`;
}

function startOf(stem: string): string {
  return `{"stem":${JSON.stringify(stem)}`;
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

const READ: ReadonlySet<string> = new Set([...FIELDS, 'execute']);

async function describeTool(
  tools: SurfaceGroup,
  stem: string,
  world: DialectWorld,
): Promise<string> {
  const named = startOf(stem);
  let fields: readonly (readonly [string, unknown])[];
  try {
    const { exported } = await withinMaxLoad(tools.load(stem), world);
    if (!isRecord(exported)) return `${named},"exports":${JSON.stringify(typeName(exported))}}`;
    fields = FIELDS.map((field) => {
      const value: unknown = Reflect.get(exported, field);
      return [field, field === 'description' ? shortDescription(value) : value];
    });
    const isExecutable = typeof Reflect.get(exported, 'execute') === 'function';
    fields = [
      ...fields,
      ['executable', isExecutable],
      ['isPromise', exported instanceof Promise],
      ['unread', unreadKeys(exported, READ)],
    ];
  } catch (error) {
    return `${named},"error":${world.serialize(messageOf(error))}}`;
  }
  try {
    return `${named},"tool":${world.serialize(Object.fromEntries(fields))}}`;
  } catch (error) {
    return `${named},"problem":${world.serialize(messageOf(error))}}`;
  }
}

/** A file that takes longer counts as failed. It does not delay the other files. */
const MAX_LOAD_MS = 5_000;

function withinMaxLoad<Value>(loading: Promise<Value>, { powers }: DialectWorld): Promise<Value> {
  const { setTimeout, clearTimeout } = powers.clock;
  return new Promise((resolve, reject) => {
    const late = `it did not finish loading within ${MAX_LOAD_MS} ms`;
    const timer = setTimeout(() => reject(new CodedError('LOAD_FAILED', late)), MAX_LOAD_MS);
    loading.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Runs the tool of a file. Returns the plugin's own value, or a promise of it. */
export async function callTool(
  tools: SurfaceGroup,
  name: string,
  input: unknown,
  call: CallWorld,
  { serialize, powers, grant }: Pick<DialectWorld, 'serialize' | 'powers' | 'grant'>,
): Promise<unknown> {
  const { surface } = call;
  if (surface === undefined || !tools.stems.includes(surface)) {
    throw new CodedError('TOOL_NOT_FOUND', `no tool has the name ${name}`);
  }
  const { exported } = await tools.load(surface);
  if (!isRecord(exported)) {
    throw new CodedError('INVALID_TOOL', `the file of ${name} exports no tool by default`);
  }
  const execute: unknown = Reflect.get(exported, 'execute');
  if (typeof execute !== 'function') {
    const kind = powers.plugin.id === WORKSPACE ? 'workspace tool' : 'tool';
    return { content: `${kind} ${name} has no execute implementation`, isError: true };
  }
  try {
    return await Reflect.apply(execute, exported, [input, makeToolContext(call, grant)]);
  } catch (thrown) {
    throw isError(thrown) ? thrown : new ThrownValue(thrown, serialize);
  }
}

/** The plugin id of the workspace's tools. */
const WORKSPACE = '(workspace)';

/** Wraps a thrown value that is not an error. The message is its text, or its JSON. */
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

/**
 * The context of one call, with only the fields that Vellum documents. The host may know more about
 * the conversation, which the plugin must not see. Optional fields are absent if the caller does
 * not set them.
 */
function makeToolContext(call: CallWorld, grant: GuestGrant): object {
  const { conversationId, workingDir, requestId, assistantId, isInteractive } = isRecord(
    call.context,
  )
    ? call.context
    : {};
  const context = {
    conversationId: textOr(conversationId, 'default'),
    workingDir: workingDirectory(workingDir, grant.fs ?? []),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(typeof assistantId === 'string' ? { assistantId } : {}),
    ...(typeof isInteractive === 'boolean' ? { isInteractive } : {}),
    ...(call.output === undefined ? {} : { onOutput: makeOnOutput(call.output) }),
  };
  return withSignal(context, call);
}

/**
 * The working directory: the caller's, else the plugin's first writable mount, else the workspace in
 * its own storage. A caller's directory outside all mounts is shown, but the plugin cannot use it: the
 * context never creates a mount.
 */
function workingDirectory(wanted: unknown, mounts: readonly GuestMount[]): string {
  if (typeof wanted === 'string') return wanted;
  return mounts.find(({ isWritable }) => isWritable)?.at ?? WORKSPACE_DIRECTORY;
}

const WORKSPACE_DIRECTORY = '/workspace';

function makeOnOutput(write: (text: string) => void): (chunk: unknown) => void {
  return harden((chunk: unknown): void => {
    // Converting an object would call the plugin's `toString`.
    if (typeof chunk === 'string') write(chunk);
    else if (typeof chunk === 'number' || typeof chunk === 'boolean') write(String(chunk));
  });
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
