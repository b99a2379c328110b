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
export async function end({ entries }: Installed): Promise<void> {
  await Promise.all(entries.flatMap(({ rooms }) => rooms.map((room) => room.close())));
}
