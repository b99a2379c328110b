import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { type Tolerance, whyItAsks } from '../../approval/policy.js';
import type { UnnamedTool } from '../../catalog/catalog.js';
import { BulkheadError, isBulkheadError, messageOf } from '../../errors.js';
import { hostFormat } from '../../formats/table.js';
import type { RemoteTool } from '../../remotes/remote.js';
import { checkSchema } from '../../schema/check.js';
import type { compile, Validator } from '../../schema/validator/entry.js';
import type { CoreTool } from '../types/core-tool.js';
import type { PlacedTool } from '../types/place.js';

/** The plugin id of the host's tools. Plugins cannot have this id. */
export const CORE = '(core)';

export interface CoreSpec {
  readonly tools: readonly CoreTool[];
  readonly timeoutMs: number;
  readonly tolerance: Tolerance | undefined;
  /** Called only if a tool has a schema. */
  readonly compiler: () => typeof compile;
}

/** Reads the host's tools. Throws `INVALID_OPTIONS` that names the tool and the problem. */
export function readCoreTools(spec: CoreSpec): readonly PlacedTool[] {
  const load = { underWay: 0 };
  const names = new Set<string>();
  return spec.tools.map((tool, index): PlacedTool => {
    const at = `coreTools[${index}]`;
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(tool.name)) {
      throw invalid(`${at}.name`, '1 to 64 of the characters a-z, A-Z, 0-9, "_" and "-"');
    }
    if (names.has(tool.name))
      throw invalid(`${at}.name`, `names that differ; ${tool.name} is there`);
    names.add(tool.name);
    const { schema, check } = readSchema(tool, `${at}.inputSchema`, spec.compiler);
    const listed = listCore(tool, schema, spec);
    return {
      tool: listed,
      place: {
        // An approval covers the host's own code, which does not change while the host runs.
        remote: { ...listed, hash: CORE, run: makeRun(tool, check) },
        hash: CORE,
        isHosts: true,
        version: undefined,
        format: undefined,
        load,
      },
    };
  });
}

function readSchema(
  { inputSchema }: CoreTool,
  option: string,
  compiler: CoreSpec['compiler'],
): { readonly schema: JsonObject; readonly check: Validator } {
  const written = inputSchema ?? { type: 'object', properties: {}, additionalProperties: false };
  try {
    const { schema } = checkSchema(written, option);
    return { schema, check: compiler()(schema) };
  } catch (error) {
    const why = messageOf(error);
    throw invalid(option, `a JSON Schema (${why})`);
  }
}

function listCore(
  { name, description = '', risk = 'medium', category, exclusive, timeoutMs }: CoreTool,
  inputSchema: JsonObject,
  spec: CoreSpec,
): UnnamedTool {
  const riskWhy = 'the host says so of a tool of its own';
  const asking = { risk, riskWhy, requireApproval: false, byFlagAlone: false };
  const asks = whyItAsks(asking, spec.tolerance);
  return {
    plugin: CORE,
    tool: name,
    source: 'core',
    bare: true,
    title: name,
    description,
    inputSchema,
    annotations: { readOnlyHint: risk === 'low', destructiveHint: risk === 'high' },
    timeoutMs: Math.min(timeoutMs ?? spec.timeoutMs, spec.timeoutMs),
    declaredRisk: risk,
    risk,
    riskWhy,
    ...(category === undefined ? {} : { category }),
    executionTarget: 'host',
    ...(exclusive === undefined ? {} : { exclusive }),
    requireApproval: false,
    ...(asks === undefined ? {} : { asks }),
    background: risk === 'low' && asks === undefined,
    confinement: 'host',
  };
}

function makeRun(tool: CoreTool, check: Validator): RemoteTool['run'] {
  return async (call) => {
    const checked = check(call.input);
    if (!checked.ok) {
      const problems = checked.problems.join('; ');
      throw new BulkheadError(
        'INVALID_INPUT',
        `The input of ${tool.name} does not fit: ${problems}`,
        {
          tool: tool.name,
        },
      );
    }
    try {
      // A copy, because the host may change its own object later.
      const copy: Json = JSON.parse(JSON.stringify((await tool.execute(call.input, call)) ?? ''));
      return hostFormat.readAnswer?.(copy) ?? { isError: false, content: [] };
    } catch (error) {
      if (isBulkheadError(error)) throw error;
      const { name, message } = error instanceof Error ? error : { name: 'Error', message: '' };
      const fault = { tool: tool.name, code: 'TOOL_FAILED', name, message } as const;
      throw new BulkheadError('TOOL_FAILED', hostFormat.describeFault?.(fault) ?? message, {
        tool: tool.name,
      });
    }
  };
}

function invalid(option: string, takes: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The option ${option} takes ${takes}.`, { option });
}
