import type { Json } from '../../sandbox/wire/messages.js';
import type { ErrorCode } from '../errors.js';
import { commit, type Committed, type HookEdit, InvalidChange } from './changes.js';
import type { ContextLimits, HookContext } from './context.js';
import { type ContextShape, contextShape } from './contexts.js';
import { DIALECTS } from './dialects.js';
import type { HookDialect } from './names.js';
import type { PieceStore } from './pieces.js';
import { compareToolUses, type ToolUse } from './tool-uses.js';

/** One plugin's place in a chain. */
export interface ChainStep {
  readonly plugin: string;
  readonly dialect: HookDialect;
  /** Runs the hook within its deadline. Never rejects. */
  run(context: HookContext, shape: ContextShape): Promise<StepOutcome>;
}

/** What a guest answered (a stranger's word), or why it did not. */
export type StepOutcome =
  | { readonly reply: Json }
  | {
      readonly error: HookError;
      readonly thrown: boolean;
      /** The plugin's own lines for what it threw: for the host's log alone. */
      readonly stack?: string | undefined;
    };

export interface HookError {
  readonly code: ErrorCode;
  readonly message: string;
}

/** What came of one plugin's hook. */
export interface HookReport {
  readonly plugin: string;
  readonly dialect: HookDialect;
  /** The fields that it changed. */
  readonly changed: readonly string[];
  /** Where in them; so it can be told which of the messages are a plugin's. */
  readonly edits: readonly HookEdit[];
  /** The fields that it wrote in vain. */
  readonly dropped: readonly string[];
  /** The tool calls that it put in, which no model asked for, and those that it took out. */
  readonly toolUses?: { readonly added: readonly ToolUse[]; readonly removed: readonly ToolUse[] };
  /** Why nothing of it counts. */
  readonly error?: HookError;
  /** Whether no later hook was run because this one threw. */
  readonly halted?: true;
  readonly durationMs: number;
}

export interface ChainSpec {
  readonly context: HookContext;
  readonly steps: readonly ChainStep[];
  readonly store: PieceStore;
  readonly limits: ContextLimits;
  /** Whether a hook that throws ends the chain where its dialect says so. */
  readonly halts: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly now: () => number;
  readonly onReport: (report: HookReport, stack: string | undefined) => void;
}

export interface ChainResult {
  readonly context: HookContext;
  readonly reports: readonly HookReport[];
}

/**
 * Runs the hooks one after the other, each on what the last left. One that fails, in whatever way,
 * costs its own changes only:
 *
 * ```
 *   context ──► hook ──► answer ──► commit ──► context ──► hook ──► …
 *      │                   │ throws, hangs, crashes, lies      ▲
 *      └───────────────────┴── as it was ──────────────────────┘
 * ```
 */
export async function runChain(spec: ChainSpec): Promise<ChainResult> {
  const reports: HookReport[] = [];
  let { context } = spec;
  for (const step of spec.steps) {
    if (spec.signal?.aborted === true) break;
    const after = await runStep(step, context, spec);
    context = after.context;
    reports.push(after.report);
    spec.onReport(after.report, after.stack);
    if (after.report.halted === true) break;
  }
  return { context, reports };
}

async function runStep(
  step: ChainStep,
  context: HookContext,
  spec: ChainSpec,
): Promise<{
  readonly context: HookContext;
  readonly report: HookReport;
  readonly stack?: string | undefined;
}> {
  const { plugin, dialect } = step;
  const shape = contextShape(context.hook, dialect);
  const began = spec.now();
  const outcome = await step.run(context, shape);
  const about = { plugin, dialect, changed: [], edits: [], dropped: [] };
  const failed = (error: HookError, halts: boolean): HookReport => ({
    ...about,
    error,
    ...(halts ? { halted: true } : {}),
    durationMs: spec.now() - began,
  });
  if ('error' in outcome) {
    const halts = outcome.thrown && spec.halts && DIALECTS[dialect].thrown === 'halts';
    return { context, report: failed(outcome.error, halts), stack: outcome.stack };
  }
  let committed: Committed;
  try {
    committed = commit(context, shape, outcome.reply, spec);
  } catch (error) {
    if (!(error instanceof InvalidChange)) throw error;
    const message = `What ${plugin} made of the context of ${context.hook} is not used: ${error.message}.`;
    return { context, report: failed({ code: 'INVALID_HOOK_CHANGE', message }, false) };
  }
  const { edits, dropped } = committed;
  const toolUses = compareToolUses(context, committed.context, edits);
  const report: HookReport = {
    ...about,
    changed: edits.map(({ field }) => field),
    edits,
    dropped,
    ...(toolUses.added.length + toolUses.removed.length === 0 ? {} : { toolUses }),
    durationMs: spec.now() - began,
  };
  return { context: committed.context, report };
}
