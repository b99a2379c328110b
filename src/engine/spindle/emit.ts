import type { Json } from '../../../sandbox/wire/messages.js';
import { BulkheadError } from '../../errors.js';
import { gateEvent, isReserved } from './event-gates.js';
import { concerns, type Extension } from './extension.js';

export interface EmitOptions {
  /** Whose doing it was: extensions that are installed for somebody else hear nothing of it. */
  readonly userId?: string;
  /**
   * For an event of the host's own: who holds any of these of Spindle's permissions is told all of
   * it; with none in the list, everybody is. Others are told ids alone.
   */
  readonly needs?: readonly string[];
}

/** How long an extension may take to hand an event to its handlers, for which nobody waits. */
const EVENT_MS = 5_000;

/** Events that an extension has not taken in yet. What is more is lost to it. */
const MAX_WAITING = 256;

/**
 * Tells those extensions of an event that subscribed to it and may run now: who runs in the
 * background. Answers their ids, at once: nobody waits for what they do.
 */
export function makeEmit(
  extensions: () => readonly Extension[],
): (event: string, payload: Json, options?: EmitOptions) => readonly string[] {
  const waiting = new Map<string, number>();
  return (event, payload, { userId, needs } = {}) => {
    if (isReserved(event)) {
      throw new BulkheadError(
        'INVALID_OPTIONS',
        `${event} is no event that a host emits: it means something of its own.`,
        { option: 'event' },
      );
    }
    const copy: Json = JSON.parse(JSON.stringify(payload ?? null));
    return extensions().flatMap((extension): string[] => {
      const { id, registrations, held, background } = extension;
      if (!background || !registrations.events.includes(event)) return [];
      if (!concerns(extension, userId)) return [];
      const gate = gateEvent(event, copy, held, needs);
      const count = waiting.get(id) ?? 0;
      if (gate.told === 'nothing' || count >= MAX_WAITING) return [];
      waiting.set(id, count + 1);
      const told = extension.tell(event, gate.payload, { timeoutMs: EVENT_MS, userId });
      // What goes wrong is its own affair, and in its log.
      void told.catch(() => undefined).finally(() => waiting.set(id, (waiting.get(id) ?? 1) - 1));
      return [id];
    });
  };
}
