import type { EventBus } from '../../events.js';

/** Passes events on with every text in them cleaned. */
export function scrubbedEvents(events: EventBus, clean: (text: string) => string): EventBus {
  return {
    on: events.on,
    hears: events.hears,
    emit: (event) => {
      const entries = Object.entries(event).map(([key, value]: [string, unknown]) => [
        key,
        typeof value === 'string' ? clean(value) : value,
      ]);
      events.emit({ ...event, ...Object.fromEntries(entries) });
    },
  };
}
