import { vi } from 'vitest';
import { openDraft } from '../../../sandbox/hooks/draft.js';
import { makePieceCache } from '../../../sandbox/hooks/piece-cache.js';
import { serialize } from '../../../sandbox/serialize.js';
import { isHookParams } from '../../../sandbox/wire/hooks.js';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import {
  type ChainResult,
  type ChainSpec,
  type ChainStep,
  runChain,
} from '../../../src/engine/hooks/chain.js';
import { openContext, readValues, resultOf } from '../../../src/engine/hooks/context.js';
import { makePieceStore } from '../../../src/engine/hooks/pieces.js';
import { makeMessage, formatPiece } from '../../../src/engine/hooks/transport.js';
import type { HookName, HookSemantics } from '../../../src/plugin/hooks.js';

// What lockdown gives a guest; here nothing is locked down.
vi.stubGlobal('harden', (value: unknown) => value);

// The tests' hooks are what strangers write.
// oxlint-disable-next-line typescript/no-explicit-any
export type Hook = (context: any) => unknown;

export const LIMITS = { maxHookContextBytes: 4_000_000, maxHookContextNodes: 500_000 };
const RESULT_LIMITS = { maxResultBytes: 1_000_000, maxResultDepth: 100, maxResultNodes: 100_000 };

/** A plugin's place in a chain, run in this process by the guest's own code. */
export function stepOf(plugin: string, semantics: HookSemantics, hook: Hook): ChainStep {
  const held = makePieceCache();
  return {
    plugin,
    semantics,
    run: async (context, shape) => {
      const message = makeMessage(context, shape, semantics);
      const pieces = message.pieces.map(formatPiece).join(',');
      const params: unknown = JSON.parse(
        `{${message.text},"run":1,"pieces":[${pieces}],"forget":[],"maxBytes":0}`,
      );
      if (!isHookParams(params)) throw new Error('no params');
      const members = { logger: Object.freeze({}), broadcast: () => {} };
      const draft = openDraft({
        params,
        sent: held.take(params),
        members,
        serialize: (value) => serialize(value, RESULT_LIMITS),
      });
      try {
        return { reply: JSON.parse(draft.settle(await hook(draft.context))) as Json };
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error);
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'HOOK_FAILED';
        const thrown = code === 'HOOK_FAILED';
        return { error: { code: code as 'HOOK_FAILED', message: words }, thrown };
      }
    },
  };
}

export interface LocalResult extends Pick<ChainResult, 'reports'> {
  readonly context: JsonObject;
}

/** Runs hooks of one semantics over a context. */
export async function runLocally(
  hook: HookName,
  semantics: HookSemantics,
  given: object,
  hooks: readonly Hook[],
  more: Partial<ChainSpec> = {},
): Promise<LocalResult> {
  const store = makePieceStore(100);
  const context = openContext(hook, readValues(hook, given), store, LIMITS);
  const { context: after, reports } = await runChain({
    context,
    store,
    limits: LIMITS,
    steps: hooks.map((one, index) => stepOf(`p${index}`, semantics, one)),
    halts: true,
    now: () => performance.now(),
    onReport: () => {},
    ...more,
  });
  return { context: resultOf(after.values), reports };
}
