import type { Engine } from '../engine/engine-api.js';
import type { ContextMessage } from '../formats/spindle/invocation/messages.js';
import type { JsonObject } from '../../sandbox/wire/messages.js';
import { type CouncilCycle, contextOf } from './chat-context.js';
import { contribute, type ContributePowers } from './contribute.js';
import {
  type CouncilToolResult,
  DEFAULT_INSTRUCTIONS,
  formatDeliberation,
} from './deliberation.js';
import { type Dice, takesPart } from './dice.js';
import { appendHistory, type HistoryEntry, recall } from './history.js';
import { type InlineGeneration, openInline } from './inline-generation.js';
import type { ResolveSidecar } from './prompt-tool.js';
import { type CouncilMember, type CouncilSettings, readCouncilSettings } from './settings.js';
import { type CouncilTool, makeCouncilTools, type PromptTool } from './tools.js';

export interface CouncilOptions {
  /** The settings as the host stored them. What is missing is the default. */
  readonly settings?: unknown;
  /** Stores settings that were changed. */
  readonly onSettings?: (settings: CouncilSettings) => void;
  /** Prompts of the host's own and of its packs, for the sidecar model. */
  readonly prompts?: readonly PromptTool[];
  /** Finds the connection that `sidecarSettings` names. Without one, prompts fail and say so. */
  readonly resolveSidecar?: ResolveSidecar;
  /** Says what to call an extension's tool with. Without one, they are called without arguments. */
  readonly planArguments?: (
    tool: CouncilTool,
    context: readonly ContextMessage[],
  ) => Promise<JsonObject | undefined>;
  /** Decides who takes part. Default: `Math.random`; `makeSeededDice(seed)` falls the same each time. */
  readonly dice?: Dice;
  /** Milliseconds since 1970. Default: the host's clock. */
  readonly now?: () => number;
}

/** What came of one deliberation. */
export interface Deliberation {
  readonly results: readonly CouncilToolResult[];
  /** For the main model. */
  readonly block: string;
  /** Whether the generation was given up before all tools had run. */
  readonly aborted: boolean;
}

/** The council of one user: members, the tools that they were given, and when these are used. */
export interface Council {
  readonly settings: CouncilSettings;
  /** Changes settings, member by member as they are given, and stores them. */
  configure(changes: Partial<CouncilSettings>): CouncilSettings;
  /** What may be assigned to members. */
  tools(): readonly CouncilTool[];
  /**
   * Lets the members who take part use their tools, one after the other. Never rejects: a tool that
   * fails is a result, and keeps nobody from going on.
   */
  deliberate(cycle: CouncilCycle): Promise<Deliberation>;
  /** Runs again what failed. Answers all results, in their order. */
  retry(results: readonly CouncilToolResult[], cycle: CouncilCycle): Promise<Deliberation>;
  /** The functions that the main model may call in this generation, in inline mode. */
  inline(cycle: CouncilCycle): InlineGeneration;
  /** The chat's history with what was contributed now, for the host to keep. */
  remember(
    history: readonly HistoryEntry[],
    results: readonly CouncilToolResult[],
  ): readonly HistoryEntry[];
}

/**
 * Makes the council of one user over the tools of an engine. Tools of extensions always run in the
 * extension, in both modes.
 */
export function createCouncil(
  engine: Pick<Engine, 'call' | 'catalog'>,
  options: CouncilOptions = {},
): Council {
  const dice = options.dice ?? Math.random;
  const now = options.now ?? Date.now;
  const tools = makeCouncilTools(engine.catalog, options.prompts ?? []);
  const powers: ContributePowers = {
    engine,
    resolveSidecar: options.resolveSidecar,
    planArguments: options.planArguments,
    now,
  };
  let settings = readCouncilSettings(options.settings);

  const conclude = (results: readonly CouncilToolResult[], signal: AbortSignal): Deliberation => ({
    results,
    block: formatDeliberation(
      results,
      settings.instructions === '' ? DEFAULT_INSTRUCTIONS : settings.instructions,
    ),
    aborted: signal.aborted,
  });
  const use = (
    member: CouncilMember,
    name: string,
    cycle: CouncilCycle,
    signal: AbortSignal,
  ): Promise<CouncilToolResult> => {
    const tool = tools.find(name);
    if (tool === undefined) return Promise.resolve(missing(member, name));
    const context = contextOf(cycle, settings.toolsSettings);
    const before = recall(cycle.history ?? [], member.memberId, tool.name);
    const told = before === undefined ? context : [{ role: 'system', content: before }, ...context];
    return contribute(powers, { member, tool, settings, context: told, signal });
  };

  return {
    get settings() {
      return settings;
    },
    configure: (changes) => {
      settings = readCouncilSettings({ ...settings, ...changes });
      options.onSettings?.(settings);
      return settings;
    },
    tools: () => tools.eligible(),
    deliberate: async (cycle) => {
      const signal = cycle.signal ?? NEVER;
      const results: CouncilToolResult[] = [];
      for (const member of settings.members) {
        if (!takesPart(member.chance, dice)) continue;
        for (const name of member.tools) {
          if (signal.aborted) return conclude(results, signal);
          results.push(await use(member, name, cycle, signal));
        }
      }
      return conclude(results, signal);
    },
    retry: async (before, cycle) => {
      const signal = cycle.signal ?? NEVER;
      const results: CouncilToolResult[] = [];
      for (const result of before) {
        const member = settings.members.find(({ memberId }) => memberId === result.memberId);
        const again = !result.success && member !== undefined && !signal.aborted;
        results.push(again ? await use(member, result.toolName, cycle, signal) : result);
      }
      return conclude(results, signal);
    },
    inline: (cycle) => openInline({ cycle, settings, tools, powers, dice }),
    remember: (history, results) =>
      appendHistory(history, results, settings.members.map(withQualifiedNames), now()),
  };

  /** History is kept by qualified names, however they were assigned. */
  function withQualifiedNames(member: CouncilMember): CouncilMember {
    const history = Object.entries(member.history).map(([name, count]) => [
      tools.find(name)?.name ?? name,
      count,
    ]);
    return { ...member, history: Object.fromEntries(history) };
  }
}

const NEVER: AbortSignal = new AbortController().signal;

function missing({ memberId, name }: CouncilMember, toolName: string): CouncilToolResult {
  return {
    memberId,
    memberName: name,
    toolName,
    toolDisplayName: toolName,
    success: false,
    content: '',
    error: `There is no tool ${toolName} that a council may use.`,
    durationMs: 0,
  };
}
