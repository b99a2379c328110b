import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { BulkheadError, isBulkheadError } from '../../errors.js';
import { isPowerName } from '../../permissions/powers.js';
import { higherBand, isRiskBand, type RiskBand } from '../../plugin/risk.js';
import { checkSchema } from '../../schema/check.js';
import type { compile, Validator } from '../../schema/validator/entry.js';
import type { PowerDefinition } from './definition.js';
import { POWER_LIMITS } from './limits.js';

/** A definition, checked, with its schemas compiled. */
export interface LentPower extends Pick<PowerDefinition, 'name' | 'handler'> {
  readonly description: string | undefined;
  readonly permission: string;
  readonly risk: RiskBand;
  readonly timeoutMs: number;
  readonly checkArguments: Validator;
  readonly checkResult: Validator;
}

/** What a host lends, by name. */
export interface LentPowers {
  readonly names: readonly string[];
  find(name: string): LentPower | undefined;
  /** What the worst of the powers of that permission can do; `undefined` where it lends none. */
  riskOf(permission: string): RiskBand | undefined;
  /** Sentences for whoever is asked to grant the permission. */
  describe(permission: string): readonly string[];
}

/** Compiles a schema of the host's own, by the validator that guests run on those of strangers. */
export type CompileSchema = typeof compile;

/**
 * Reads the host's definitions. Throws `INVALID_OPTIONS` naming what is wrong with which.
 *
 * @param compiler is asked for the compiler where there is a schema: it is dear to make
 */
export function readPowers(
  definitions: readonly PowerDefinition[],
  compiler: () => CompileSchema,
): LentPowers {
  const lent = new Map<string, LentPower>();
  for (const [index, definition] of definitions.entries()) {
    const power = readPower(definition, `powers[${index}]`, compiler);
    if (lent.has(power.name)) {
      throw invalid(`powers[${index}].name`, `names that differ; there are two of ${power.name}`);
    }
    lent.set(power.name, power);
  }
  const under = (permission: string): readonly LentPower[] =>
    [...lent.values()].filter((power) => power.permission === permission);
  return {
    names: [...lent.keys()],
    find: (name) => lent.get(name),
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
): LentPower {
  const { name, description, permission = name, handler, risk = 'medium' } = definition;
  const { timeoutMs = POWER_LIMITS.timeoutMs } = definition;
  const isName = (text: unknown): boolean => typeof text === 'string' && isPowerName(text);
  // A promise is asked for these, and so is what is turned into JSON.
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
  return {
    name,
    description,
    permission,
    risk,
    timeoutMs,
    handler,
    checkArguments: validatorOf(definition.arguments, `${at}.arguments`, compiler),
    checkResult: validatorOf(definition.result, `${at}.result`, compiler),
  };
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The host wrote the schema: it is compiled here, and only what it checks is a stranger's. */
function validatorOf(
  schema: JsonObject | undefined,
  option: string,
  compiler: () => CompileSchema,
): Validator {
  if (schema === undefined) return (value) => ({ ok: true, value });
  try {
    return compiler()(checkSchema(schema, option).schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw invalid(option, `a JSON Schema (${isBulkheadError(error) ? error.message : why})`);
  }
}

function invalid(option: string, takes: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The option ${option} takes ${takes}.`, { option });
}
