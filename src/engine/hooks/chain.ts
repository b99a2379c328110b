import type { DenialLog } from '../plugins/denial-log.js';
import type { DeniedUse } from '../types/result.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import type { ErrorCode } from '../../errors.js';
import { type HookSemantics, SEMANTICS } from '../../plugin/hooks.js';
import {
  commit,
  type Committed,
  compareToolUses,
  type HookEdit,
  InvalidChange,
  type ToolUse,
} from './changes.js';
import type { ContextLimits, HookContext } from './context.js';
import { type ContextShape, contextShape } from './contexts.js';
import type { PieceStore } from './pieces.js';

/** One plugin's place in a chain. */
export interface ChainStep {
  readonly plugin: string;
  readonly semantics: HookSemantics;
  /** Runs the hook within its deadline. Never rejects. */
  run(context: HookContext, shape: ContextShape): Promise<StepOutcome>;
}

/** The guest's untrusted reply, or the error. */
export type StepOutcome =
  | { readonly reply: Json }
  | {
      readonly error: HookError;
      readonly thrown: boolean;
      /** The stack of the plugin's error. For the host's log only. */
      readonly stack?: string | undefined;
    };

export interface HookError {
  readonly code: ErrorCode;
  readonly message: string;
}

/** The outcome of one plugin's hook. */
export interface HookReport {
  readonly plugin: string;
  readonly semantics: HookSemantics;
  /** Names of the fields that the hook changed. */
  readonly changed: readonly string[];
  /** The changed range of each field, so the host can attribute messages to the plugin. */
  readonly edits: readonly HookEdit[];
  /** Names of written fields that the hook may not change. These writes are dropped. */
  readonly dropped: readonly string[];
  /** Tool calls that the hook added (the model did not request them) or removed. */
  readonly toolUses?: { readonly added: readonly ToolUse[]; readonly removed: readonly ToolUse[] };
  /** Why the hook failed. All of its changes are then discarded. */
  readonly error?: HookError;
  /** Set if this hook threw and so ended the chain. */
  readonly halted?: true;
  readonly durationMs: number;
  /** The requests of the plugin that were denied during the hook, also if its code caught the error. */
  readonly denied?: readonly DeniedUse[];
}

export interface ChainSpec {
  readonly context: HookContext;
  readonly steps: readonly ChainStep[];
  readonly store: PieceStore;
  readonly limits: ContextLimits;
  /** Whether a hook that throws ends the chain if its semantics defines that. */
  readonly halts: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly now: () => number;
  /** Collects the denials of each hook. Default: none are listed. */
  readonly denials?: DenialLog;
  readonly onReport: (report: HookReport, stack: string | undefined) => void;
}

export interface ChainResult {
  readonly context: HookContext;
  readonly reports: readonly HookReport[];
}

/**
 * Runs the hooks in order. Each hook gets the context that the previous hook left. A hook that fails
 * loses only its own changes:
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
    const watch = spec.denials?.watch(step.plugin);
    const after = await runStep(step, context, spec);
    const report = { ...after.report, ...watch?.end() };
    context = after.context;
    reports.push(report);
    spec.onReport(report, after.stack);
    if (report.halted === true) break;
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
  const { plugin, semantics } = step;
  const shape = contextShape(context.hook, semantics);
  const began = spec.now();
  const outcome = await step.run(context, shape);
  const about = { plugin, semantics, changed: [], edits: [], dropped: [] };
  const failed = (error: HookError, halts: boolean): HookReport => ({
    ...about,
    error,
    ...(halts ? { halted: true } : {}),
    durationMs: spec.now() - began,
  });
  if ('error' in outcome) {
    const halts = outcome.thrown && spec.halts && SEMANTICS[semantics].thrown === 'halts';
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
