import { type CouncilCycle, contextOf } from './chat-context.js';
import { contribute, type ContributePowers } from './contribute.js';
import type { CouncilToolResult } from './deliberation.js';
import { type Dice, takesPart } from './dice.js';
import {
  type InlineFunction,
  type InlineTarget,
  makeInlineFunctions,
  readArguments,
} from './inline.js';
import type { CouncilMember, CouncilSettings } from './settings.js';
import type { CouncilTool, CouncilTools } from './tools.js';

/** The functions of one generation, and how to answer the model's calls of them. */
export interface InlineGeneration {
  /** Empty where this generation calls none. */
  readonly functions: readonly InlineFunction[];
  /** How often the model may call functions and be asked to go on. */
  readonly maxRounds: number;
  /**
   * Answers one call. Never rejects: what goes wrong is told to the model, and the generation goes on.
   * `args` are what the model wrote, as an object or as text.
   */
  call(name: string, args: unknown): Promise<string>;
  /** What was called so far. */
  readonly results: readonly CouncilToolResult[];
}

export interface InlineSpec {
  readonly cycle: CouncilCycle;
  readonly settings: CouncilSettings;
  readonly tools: CouncilTools;
  readonly powers: ContributePowers;
  readonly dice: Dice;
}

const MAX_ROUNDS = 3;

/** Stops a model, or who writes its prompt, from calling tools without end in one generation. */
const MAX_CALLS = 32;

export function openInline(spec: InlineSpec): InlineGeneration {
  const { cycle, settings, tools, powers } = spec;
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
    if (signal.aborted) return 'Error: the generation was given up.';
    let args: ReturnType<typeof readArguments>;
    try {
      args = readArguments(given);
    } catch {
      return `Error: the arguments of ${name} are no JSON.`;
    }
    const member = target.member ?? NOBODY;
    const { tool } = target;
    const isNobodys = target.member === undefined;
    const result = await contribute(powers, {
      member,
      isNobodys,
      tool,
      settings,
      context,
      args,
      signal,
    });
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

/** A generation in the user's own name calls no tools, and neither does a preset without functions. */
function callsTools({ type, functionCalling = true }: CouncilCycle): boolean {
  return type !== 'impersonate' && functionCalling;
}

/** For calls of the model's own, which come from no member. */
const NOBODY: CouncilMember = {
  memberId: '',
  itemId: '',
  packId: '',
  packName: '',
  name: '',
  role: '',
  chance: 100,
  avatarUrl: null,
  definition: '',
  personality: '',
  behavior: '',
  genderIdentity: 3,
  tools: [],
  history: {},
};
