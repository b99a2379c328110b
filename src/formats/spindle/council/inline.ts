import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../../../sandbox/wire/messages.js';
import type { CouncilMember, CouncilSettings } from './settings.js';
import type { CouncilTool, CouncilTools } from './tools.js';
import { contextOf, type CouncilCycle } from './chat-context.js';
import { contribute, type ContributeCapabilities, type Dice, takesPart } from './contribute.js';
import type { CouncilToolResult } from './deliberation.js';

/** A function in the form of models' APIs. */
export interface InlineFunction {
  /** `[a-zA-Z0-9_-]{1,64}`, which every model's API accepts. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** The tool of one function. A tool without an assignment is called without a member. */
interface InlineTarget {
  readonly member: CouncilMember | undefined;
  readonly tool: CouncilTool;
}

/** The functions of one generation, by their names for the model. */
interface InlineFunctions {
  readonly functions: readonly InlineFunction[];
  find(name: string): InlineTarget | undefined;
}

const MAX_NAME = 64;

/** Characters. A model reads every description in every generation. */
const MAX_DESCRIPTION = 1_024;

/** Maps names to tools. A name is never split: a tool's own name may contain the separator. */
function makeInlineFunctions(targets: readonly InlineTarget[]): InlineFunctions {
  const byName = new Map<string, InlineTarget>();
  const functions = targets.map((target): InlineFunction => {
    const name = freeName(target, byName);
    byName.set(name, target);
    return {
      name,
      description: describe(target),
      parameters: target.tool.kind === 'plugin' ? target.tool.tool.inputSchema : PROMPT_SCHEMA,
    };
  });
  return { functions, find: (name) => byName.get(name) };
}

const PROMPT_SCHEMA: JsonObject = { type: 'object', properties: {} };

function freeName({ member, tool }: InlineTarget, taken: ReadonlyMap<string, unknown>): string {
  const bare = tool.kind === 'plugin' ? tool.tool.name : tool.name;
  const whole = clean(member === undefined ? bare : `${member.memberId.slice(0, 8)}_${bare}`);
  if (whole.length <= MAX_NAME && !taken.has(whole)) return whole;
  const id = JSON.stringify([member?.memberId, tool.name]);
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 12);
  return `${whole.slice(0, MAX_NAME - hash.length - 1)}_${hash}`;
}

function clean(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
}

function describe({ member, tool }: InlineTarget): string {
  const who = member === undefined ? '' : `As ${member.name}: `;
  const plain = `${who}${tool.displayName}. ${tool.description}`
    // eslint-disable-next-line no-control-regex -- exactly these characters are what is taken out
    .replaceAll(/[\u0000-\u001f\u007f]+/g, ' ');
  return plain.length <= MAX_DESCRIPTION ? plain : `${plain.slice(0, MAX_DESCRIPTION - 1)}…`;
}

/** A model's arguments: JSON as text, or an object. */
function readArguments(given: unknown): Json {
  const value: unknown =
    typeof given === 'string' && given.trim() !== '' ? JSON.parse(given) : given;
  const copy: Json = JSON.parse(JSON.stringify(value ?? {})) ?? {};
  return typeof copy === 'object' ? copy : {};
}

/** The functions of one generation, and the answers to the model's calls. */
export interface InlineGeneration {
  /** Empty if this generation calls none. */
  readonly functions: readonly InlineFunction[];
  /** The maximum number of function calls after which the model may continue. */
  readonly maxRounds: number;
  /**
   * Answers one call. Never rejects: the model gets an error as text, and the generation continues.
   * `args` are the model's arguments, as an object or as text.
   */
  call(name: string, args: unknown): Promise<string>;
  /** The results so far. */
  readonly results: readonly CouncilToolResult[];
}

interface InlineSpec {
  readonly cycle: CouncilCycle;
  readonly settings: CouncilSettings;
  readonly tools: CouncilTools;
  readonly capabilities: ContributeCapabilities;
  readonly dice: Dice;
}

const MAX_ROUNDS = 3;

/** Calls in one generation. Stops a model that calls tools in a loop. */
const MAX_CALLS = 32;

export function openInline(spec: InlineSpec): InlineGeneration {
  const { cycle, settings, tools, capabilities } = spec;
  const { functions, find } = makeInlineFunctions(callsTools(cycle) ? targetsOf(spec) : []);
  const context = contextOf(cycle, settings.toolsSettings);
  const signal = cycle.signal ?? new AbortController().signal;
  const results: CouncilToolResult[] = [];
  let calls = 0;

  const call = async (name: string, given: unknown): Promise<string> => {
    calls += 1;
    if (calls > MAX_CALLS) return `Error: no more than ${MAX_CALLS} calls in one generation.`;
    const target = find(name);
    if (target === undefined) return `Error: there is no function ${name.slice(0, 64)}.`;
    if (signal.aborted) return 'Error: the generation was aborted.';
    let args: ReturnType<typeof readArguments>;
    try {
      args = readArguments(given);
    } catch {
      return `Error: the arguments of ${name} are not JSON.`;
    }
    const { member, tool } = target;
    const contribution = { member, tool, settings, context, args, signal };
    const result = await contribute(capabilities, contribution);
    results.push(result);
    if (!result.success) return `Error: ${result.error ?? 'the tool failed'}`;
    return result.content === '' ? '(empty result)' : result.content;
  };

  return { functions, maxRounds: MAX_ROUNDS, call, results };

  function targetsOf({ dice }: InlineSpec): readonly InlineTarget[] {
    const assigned = settings.members
      .filter(({ tools: names, chance }) => names.length > 0 && takesPart(chance, dice))
      .flatMap((member) =>
        member.tools.flatMap((name): InlineTarget[] => {
          const tool = tools.find(name);
          return tool === undefined ? [] : [{ member, tool }];
        }),
      );
    const free = tools.inline().map((tool): InlineTarget => {
      const found: CouncilTool = {
        kind: 'plugin',
        tool,
        name: tool.id,
        displayName: tool.title,
        description: tool.description,
      };
      return { member: undefined, tool: found };
    });
    return [...assigned, ...free];
  }
}

/** A generation that writes as the user calls no tools. A preset can disable functions. */
function callsTools({ type, functionCalling = true }: CouncilCycle): boolean {
  return type !== 'impersonate' && functionCalling;
}
