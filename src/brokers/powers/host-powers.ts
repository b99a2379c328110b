import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { type RiskBand, higherBand, isRiskBand } from '../../plugin/risk.js';
import { BulkheadError, isBulkheadError, messageOf } from '../../errors.js';
import { isPowerName } from '../../permissions/powers.js';
import { checkSchema } from '../../schema/check.js';
import type { compile, Validator } from '../../schema/validator/entry.js';
import { POWER_LIMITS } from '../limits.js';

/** A function of the host that plugins can use by name. */
export interface PowerDefinition {
  /** Plugins call `powers.<name>(arguments)`. Letters, digits, `_`, `.` and `-`. */
  readonly name: string;
  /** What it does, in one sentence, for the person who approves the permission. */
  readonly description?: string;
  /** The `powers` permission that grants it. Several powers may share one. Default: its own name. */
  readonly permission?: string;
  /** JSON Schema of the arguments. Default: any JSON. */
  readonly arguments?: JsonObject;
  /** JSON Schema of the result. A plugin never gets a result that does not fit. Default: any JSON. */
  readonly result?: JsonObject;
  /** The worst that it can do. Counts for the risk of the plugin's tools. Default: medium. */
  readonly risk?: RiskBand;
  /** Milliseconds for one use. Default: 60,000. */
  readonly timeoutMs?: number;
  /**
   * Bytes of the arguments: their JSON and their byte arrays. At most 32 MiB. Default: 1 MiB.
   */
  readonly maxArgumentBytes?: number;
  /** Bytes of the result: its JSON and its byte arrays. At most 32 MiB. Default: 8 MiB. */
  readonly maxResultBytes?: number;
  /**
   * Implements the power. `args` is a copy that fits the schema, with its defaults. The result is
   * copied as JSON. Byte arrays in both are copied too, as `Uint8Array`; schemas see `null` in their
   * places. If it throws, the plugin sees a failure without the message, which may name parts
   * of the host, unless the error has a property `expose` that is true.
   */
  readonly handler: (args: Json, context: PowerContext) => unknown;
}

export interface PowerContext {
  /** The id of the plugin, from the engine. */
  readonly plugin: string;
  /** The call that uses it, if the plugin has only that one under way. The plugin's code chose the moment. */
  readonly call?: string;
  /** The tenant of the call, if the option `isolation` keeps the plugin's tenants apart. */
  readonly tenant?: string;
  /** The open calls of the guest, if there are several. Any of them may have used it. */
  readonly among?: readonly string[];
  /** The permission that grants this use. */
  readonly permission: string;
  /** Aborts if the plugin cancels, ends or loses the permission, and at the deadline. */
  readonly signal: AbortSignal;
}

/** A checked definition with compiled schemas. */
export interface HostPower extends Pick<
  PowerDefinition,
  'name' | 'handler' | 'maxArgumentBytes' | 'maxResultBytes'
> {
  readonly description: string | undefined;
  readonly permission: string;
  readonly risk: RiskBand;
  readonly timeoutMs: number;
  readonly checkArguments: Validator;
  readonly checkResult: Validator;
}

/** The host's powers, by name. */
export interface HostPowers {
  readonly names: readonly string[];
  /** The permissions that grant them. */
  readonly permissions: readonly string[];
  find(name: string): HostPower | undefined;
  /** The highest risk of that permission's powers; `undefined` if it grants none. */
  riskOf(permission: string): RiskBand | undefined;
  /** Sentences for the person who approves the permission. */
  describe(permission: string): readonly string[];
}

/** Compiles a schema of the host, with the validator that guests use for schemas of plugins. */
export type CompileSchema = typeof compile;

/**
 * Reads the host's definitions. Throws `INVALID_OPTIONS`.
 *
 * @param compiler returns the compiler. It is called only if there is a schema: it is slow to make
 */
export function readPowers(
  definitions: readonly PowerDefinition[],
  compiler: () => CompileSchema,
): HostPowers {
  const byName = new Map<string, HostPower>();
  for (const [index, definition] of definitions.entries()) {
    const power = readPower(definition, `powers[${index}]`, compiler);
    if (byName.has(power.name)) {
      throw invalid(`powers[${index}].name`, `names that differ; there are two of ${power.name}`);
    }
    byName.set(power.name, power);
  }
  const under = (permission: string): readonly HostPower[] =>
    [...byName.values()].filter((power) => power.permission === permission);
  return {
    names: [...byName.keys()],
    permissions: [...new Set([...byName.values()].map(({ permission }) => permission))],
    find: (name) => byName.get(name),
    riskOf: (permission) => {
      const [first, ...rest] = under(permission).map(({ risk }) => risk);
      return first === undefined ? undefined : rest.reduce(higherBand, first);
    },
    describe: (permission) => under(permission).flatMap(({ description }) => description ?? []),
  };
}

function readPower(
  definition: PowerDefinition,
  at: string,
  compiler: () => CompileSchema,
): HostPower {
  const { name, description, permission = name, handler, risk = 'medium' } = definition;
  const { timeoutMs = POWER_LIMITS.timeoutMs } = definition;
  const isName = (text: unknown): boolean => typeof text === 'string' && isPowerName(text);
  // JavaScript itself reads these properties: of promises, and for JSON.
  if (!isName(name) || name === 'then' || name === 'toJSON') {
    throw invalid(
      `${at}.name`,
      'a name of letters, digits, "_", "." and "-", like "conversations"',
    );
  }
  if (!isName(permission)) throw invalid(`${at}.permission`, 'the name of a permission');
  if (typeof handler !== 'function') throw invalid(`${at}.handler`, 'a function');
  if (!isRiskBand(risk)) throw invalid(`${at}.risk`, 'low, medium or high');
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > LONGEST_TIMER_MS) {
    throw invalid(`${at}.timeoutMs`, `a whole number of milliseconds up to ${LONGEST_TIMER_MS}`);
  }
  const { maxArgumentBytes, maxResultBytes } = definition;
  checkBytes(maxArgumentBytes, `${at}.maxArgumentBytes`);
  checkBytes(maxResultBytes, `${at}.maxResultBytes`);
  return {
    name,
    description,
    permission,
    risk,
    timeoutMs,
    ...(maxArgumentBytes === undefined ? {} : { maxArgumentBytes }),
    ...(maxResultBytes === undefined ? {} : { maxResultBytes }),
    handler,
    checkArguments: validatorOf(definition.arguments, `${at}.arguments`, compiler),
    checkResult: validatorOf(definition.result, `${at}.result`, compiler),
  };
}

function checkBytes(bytes: unknown, at: string): void {
  if (bytes === undefined) return;
  if (typeof bytes === 'number' && Number.isInteger(bytes) && bytes > 0 && bytes <= MOST_BYTES)
    return;
  throw invalid(at, `a whole number of bytes up to ${MOST_BYTES}`);
}

/** Guests gather no more bytes of one body. */
const MOST_BYTES = 32 * 1024 * 1024;

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The host wrote the schema, so it is compiled here. Only the checked values are untrusted. */
function validatorOf(
  schema: JsonObject | undefined,
  option: string,
  compiler: () => CompileSchema,
): Validator {
  if (schema === undefined) return (value) => ({ ok: true, value });
  try {
    return compiler()(checkSchema(schema, option).schema);
  } catch (error) {
    const why = messageOf(error);
    throw invalid(option, `a JSON Schema (${isBulkheadError(error) ? error.message : why})`);
  }
}

function invalid(option: string, takes: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The option ${option} takes ${takes}.`, { option });
}
