import type { Engine } from '../../../engine/engine-api.js';
import type { ContextMessage } from '../invocation.js';
import { contribute, type ContributeCapabilities, type Dice, takesPart } from './contribute.js';
import type { JsonObject } from '../../../../sandbox/wire/messages.js';
import {
  appendHistory,
  contextOf,
  type CouncilCycle,
  type HistoryEntry,
  recall,
} from './chat-context.js';
import {
  type CouncilToolResult,
  DEFAULT_INSTRUCTIONS,
  formatDeliberation,
} from './deliberation.js';
import { type InlineGeneration, openInline } from './inline.js';
import {
  type CouncilTool,
  makeCouncilTools,
  type PromptTool,
  type ResolveSidecar,
} from './tools.js';
import { type CouncilMember, type CouncilSettings, readCouncilSettings } from './settings.js';

export interface CouncilOptions {
  /** The settings as the host stored them. Missing ones have their defaults. */
  readonly settings?: unknown;
  /** Stores changed settings. Default: they are not stored. */
  readonly onSettings?: (settings: CouncilSettings) => void;
  /** Prompts of the host and its packs, for the sidecar model. Default: none. */
  readonly prompts?: readonly PromptTool[];
  /** Finds the connection that `sidecarSettings` names. Without it, prompts fail with that reason. */
  readonly resolveSidecar?: ResolveSidecar;
  /** Chooses arguments for an extension's tool. Default: tools are called without arguments. */
  readonly planArguments?: (
    tool: CouncilTool,
    context: readonly ContextMessage[],
  ) => Promise<JsonObject | undefined>;
  /** Decides which members take part. Default: `Math.random`. `makeSeededDice(seed)` is repeatable. */
  readonly dice?: Dice;
  /** Milliseconds since 1970. Default: the host's clock. */
  readonly now?: () => number;
}

/** The outcome of one deliberation. */
export interface Deliberation {
  readonly results: readonly CouncilToolResult[];
  /** The text for the main model. */
  readonly block: string;
  /** Whether the generation was aborted before all tools had run. */
  readonly aborted: boolean;
}

/** The council of one user: its members and the tools that are assigned to them. */
export interface Council {
  readonly settings: CouncilSettings;
  /** Replaces the given settings and stores all of them. */
  configure(changes: Partial<CouncilSettings>): CouncilSettings;
  /** The tools that can be assigned to members. */
  tools(): readonly CouncilTool[];
  /**
   * Runs the tools of the participating members in order. Never rejects: a failed tool is a result,
   * and the next tool runs.
   */
  deliberate(cycle: CouncilCycle): Promise<Deliberation>;
  /** Runs the failed tools again. Returns all results, in their order. */
  retry(results: readonly CouncilToolResult[], cycle: CouncilCycle): Promise<Deliberation>;
  /** The functions that the main model may call in this generation, in inline mode. */
  inline(cycle: CouncilCycle): InlineGeneration;
  /** The chat's history with the new contributions, for the host to store. */
  remember(
    history: readonly HistoryEntry[],
    results: readonly CouncilToolResult[],
  ): readonly HistoryEntry[];
}

/**
 * Creates the council of one user over the tools of an engine. Extensions' tools run in the
 * extension, in both modes.
 */
export function createCouncil(
  engine: Pick<Engine, 'call' | 'catalog'>,
  options: CouncilOptions = {},
): Council {
  const dice = options.dice ?? Math.random;
  const now = options.now ?? Date.now;
  const tools = makeCouncilTools(engine.catalog, options.prompts ?? []);
  const capabilities: ContributeCapabilities = {
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
    const messages =
      before === undefined ? context : [{ role: 'system', content: before }, ...context];
    return contribute(capabilities, { member, tool, settings, context: messages, signal });
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
    inline: (cycle) => openInline({ cycle, settings, tools, capabilities, dice }),
    remember: (history, results) =>
      appendHistory(history, results, settings.members.map(withQualifiedNames), now()),
  };

  /** The history stores qualified names. */
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
    error: `A council has no tool ${toolName}. Assign one of the names that tools() lists.`,
    durationMs: 0,
  };
}
