import type { GuestEnd } from '../../guests/end.js';
import type { Installed } from './installed.js';

/** Lets a plugin that was replaced finish its calls (each has a deadline), then ends it. */
export async function retire(installed: Installed): Promise<void> {
  while (installed.lane.busy()) {
    await new Promise((resolve) => setTimeout(resolve, RETIRE_POLL_MS));
  }
  await end(installed);
}

const RETIRE_POLL_MS = 20;

/** Ends all guests of a plugin, whatever they do. */
export function end(installed: Installed): Promise<void> {
  return endFor(installed, { cause: 'closed', detail: 'the engine let go of its plugin' });
}

/** The same where the plugin does not run any more, and its engine does. */
export function endInactive(installed: Installed): Promise<void> {
  const detail = 'it was switched off, or taken away';
  return endFor(installed, { cause: 'closed', detail, inactive: true });
}

async function endFor({ entries }: Installed, why: GuestEnd): Promise<void> {
  await Promise.all(entries.flatMap(({ rooms }) => rooms.map((room) => room.close(why))));
}
