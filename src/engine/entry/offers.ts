import { hash } from 'node:crypto';
import type { Json } from '../../../sandbox/wire/messages.js';
import { FROM_GUEST } from '../../../sandbox/wire/limits.js';
import { parseMessage } from '../../../sandbox/wire/parse.js';
import { BulkheadError, isBulkheadError } from '../../errors.js';
import { endError, GuestEnded } from '../../guests/end.js';
import type { Guest } from '../../guests/guest.js';
import { isObject } from '../../schema/shape.js';
import type { OpenEntry } from './entry.js';
import type { KeptTexts } from '../powers/kept-texts.js';
import type { Settings } from '../options/settings.js';

/**
 * What entries offer, as their guests described it, kept by everything that the answer can depend
 * on: the bundle, the grant, the granted variables' values and the configuration. With it an engine
 * starts without starting a guest. What is kept is a stranger's word and is parsed as such each time.
 */
export interface Offers {
  /** Rejects with the reason why the entry cannot be loaded or does not answer. */
  of(plugin: string, open: OpenEntry, config: Json): Promise<unknown>;
  /** Asks the guest that runs now, and nobody where there is none. Rejects as above. */
  ask(plugin: string, open: OpenEntry): Promise<unknown>;
  /** Keeps what a guest of the entry offers once it has settled, in place of what it first said. */
  keep(open: OpenEntry, config: Json, described: unknown): Promise<void>;
}

/** Raised when what dialects answer changes its shape. */
const VERSION = 1;

export function makeOffers(texts: KeptTexts, settings: Settings): Offers {
  return {
    of: async (plugin, open, config) => {
      const name = `${keyOf(open, config, settings)}.json`;
      const kept = parseKept(texts.read(name));
      if (kept !== undefined) return kept;
      const guest = await acquire(open);
      const described = await describe(plugin, guest, settings.limits.loadTimeoutMs);
      // What was described while the grant changed is the answer of neither.
      const same = name === `${keyOf(open, config, settings)}.json`;
      if (same && !hasFailures(described)) await texts.keep(name, JSON.stringify(described));
      return described;
    },
    ask: async (plugin, { resident }) =>
      resident.current === undefined
        ? undefined
        : describe(plugin, resident.current, settings.limits.loadTimeoutMs),
    keep: (open, config, described) =>
      texts.keep(`${keyOf(open, config, settings)}.json`, JSON.stringify(described)),
  };
}

/** Whether a part of it could not be loaded, this time: another time it may. */
function hasFailures(described: unknown): boolean {
  const tools: unknown = isObject(described) ? described['tools'] : undefined;
  return Array.isArray(tools) && tools.some((tool) => isObject(tool) && 'error' in tool);
}

function keyOf(open: OpenEntry, config: Json, { env }: Settings): string {
  const { bundle, entry, grant, secrets } = open;
  const { permissions } = grant;
  // Of a secret the plugin knows that it has one, and so does the answer.
  const variables = permissions.environment.map((name) =>
    secrets.some((secret) => secret.name === name) ? [name] : [name, env[name] ?? null],
  );
  const what = [VERSION, entry.dialect, bundle.hash, permissions, variables, config];
  return hash('sha256', JSON.stringify(what), 'hex');
}

function parseKept(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    // The same caps as on the wire: the file is no better than the guest it came from.
    const message = parseMessage(`{"t":"reply","i":0,"v":${text}}`, FROM_GUEST);
    return message.t === 'reply' ? message.v : undefined;
  } catch {
    return undefined;
  }
}

async function describe(plugin: string, guest: Guest, timeoutMs: number): Promise<unknown> {
  const timer = setTimeout(() => {
    guest.kill({
      cause: 'deadline',
      detail: `it did not say what it offers within ${timeoutMs} ms`,
    });
  }, timeoutMs);
  try {
    return await guest.peer.ask('describe', null).answer;
  } catch (error) {
    if (!(error instanceof GuestEnded)) throw error;
    if (error.end.cause === 'deadline') throw tooSlow(plugin, timeoutMs);
    throw endError(plugin, error.end);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for room: where many plugins are installed at once there may be none just now. */
async function acquire({ resident }: OpenEntry): Promise<Guest> {
  const beganMs = performance.now();
  for (;;) {
    try {
      const guest = await resident.load();
      if (guest.alive) return guest;
    } catch (error) {
      if (!isBulkheadError(error, 'BUSY')) throw error;
      if (performance.now() - beganMs >= PATIENCE_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, error.details.retryAfterMs));
    }
  }
}

/** Whoever has as many calls under way for as long wants no more plugins. */
const PATIENCE_MS = 60_000;

function tooSlow(plugin: string, deadlineMs: number): BulkheadError {
  return new BulkheadError(
    'DEADLINE_EXCEEDED',
    `${plugin} did not say what tools it offers within ${deadlineMs} ms, and was killed. resolveTools has to answer faster than limits.loadTimeoutMs.`,
    { deadlineMs },
  );
}
