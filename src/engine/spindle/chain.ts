import type { Json } from '../../../sandbox/wire/messages.js';
import { isBulkheadError } from '../../errors.js';
import { concerns, type Extension } from './extension.js';

/** What one extension did in a chain. */
export interface ChainStep {
  readonly plugin: string;
  /** `failed`: it could not be told, or broke down. What its handler threw is in its log. */
  readonly outcome: 'changed' | 'unchanged' | 'timed-out' | 'failed';
  readonly durationMs: number;
}

export interface ChainSpec {
  readonly extensions: readonly Extension[];
  /** The kind of handler, and the permission without which nobody has one. */
  readonly kind: string;
  readonly permission: string;
  readonly timeoutOf: (extension: Extension) => number;
  readonly userId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What the next extension is told. */
  readonly payload: () => Json;
  /** Takes an answer in. `undefined`: it is none, and nothing has changed. */
  readonly take: (answer: Json, extension: Extension) => 'on' | 'stop' | undefined;
}

/**
 * Tells each extension that has a handler of the kind, lowest priority first, and lets each answer
 * change what the next is told. One that fails or takes too long changes nothing, and costs nobody
 * else anything. Rejects with the signal's reason once that has aborted.
 */
export async function runChain(spec: ChainSpec): Promise<readonly ChainStep[]> {
  const { kind, permission, signal, userId } = spec;
  const steps: ChainStep[] = [];
  const ordered = spec.extensions
    .filter((extension) => Object.hasOwn(extension.registrations.hooks, kind))
    .toSorted((a, b) => priorityOf(a, kind) - priorityOf(b, kind));
  for (const extension of ordered) {
    signal?.throwIfAborted();
    // Asked now: it may have lost the permission, or the handler, while others had their turn.
    if (!extension.held.includes(permission) || !concerns(extension, userId)) continue;
    const began = performance.now();
    const step = (outcome: ChainStep['outcome']): void => {
      steps.push({ plugin: extension.id, outcome, durationMs: performance.now() - began });
    };
    const timeoutMs = spec.timeoutOf(extension);
    try {
      const options = { timeoutMs, signal, userId };
      const answer = await extension.tell(`spindle:${kind}`, spec.payload(), options);
      const taken = answer === null ? undefined : spec.take(answer, extension);
      step(taken === undefined ? 'unchanged' : 'changed');
      if (taken === 'stop') break;
    } catch (error) {
      signal?.throwIfAborted();
      step(isBulkheadError(error, 'DEADLINE_EXCEEDED') ? 'timed-out' : 'failed');
    }
  }
  return steps;
}

function priorityOf({ registrations }: Extension, kind: string): number {
  return registrations.hooks[kind]?.priority ?? 100;
}
