import { hash } from '../../hash.js';
import { FROM_GUEST } from '../../../sandbox/wire/limits.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import { parseMessage } from '../../../sandbox/wire/parse.js';
import { BulkheadError, isBulkheadError } from '../../errors.js';
import { endError, GuestEnded } from '../../guests/end.js';
import type { Guest } from '../../guests/guest.js';
import { formatNamed } from '../../formats/table.js';
import type { Plugin } from '../../plugin/plugin.js';
import { startLoadDeadline } from '../../guests/load-deadline.js';
import { isComputing } from '../../processor.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { Instance } from '../instance/instance.js';
import type { TextCache } from '../node/text-cache.js';
import type { Settings } from '../types/settings.js';

/**
 * Caches the contributions that guests described, so that an engine starts without starting guests.
 * The key is the code of guests, the bundle, the grant, the values of granted variables and the configuration. Cached
 * contributions are untrusted and are parsed each time.
 */
export interface ContributionCache {
  /**
   * Reads the cache, or queries a guest. Rejects with the reason if the entry cannot be loaded or
   * does not answer.
   */
  of(plugin: Plugin, open: Instance, config: Json): Promise<unknown>;
  /** Queries the loaded guest, also if it is just checked. Returns `undefined` if there is none. Rejects as above. */
  ask(plugin: Plugin, open: Instance): Promise<unknown>;
  /** Replaces the cached contributions with those of a guest that has settled. */
  store(open: Instance, config: Json, described: unknown): Promise<void>;
}

/** Raise this when the shape of the dialects' answers changes. */
const VERSION = 6;

/** `guestCode`: changes with the code of guests. */
export function makeContributionCache(
  texts: TextCache,
  settings: Settings,
  guestCode: string,
): ContributionCache {
  const nameOf = (open: Instance, config: Json): string =>
    `${keyOf(open, config, settings, guestCode)}.json`;
  return {
    of: async (plugin, open, config) => {
      const name = nameOf(open, config);
      const cached = parseCached(texts.read(name));
      if (cached !== undefined) return cached;
      const guest = await acquire(open);
      const described = await describe(plugin, guest, settings.limits.loadTimeoutMs);
      // If the grant changed during the query, the answer belongs to neither grant.
      const same = name === nameOf(open, config);
      if (same && !hasFailures(described)) await texts.store(name, JSON.stringify(described));
      return described;
    },
    ask: async (plugin, { guests: { loaded } }) =>
      loaded === undefined ? undefined : describe(plugin, loaded, settings.limits.loadTimeoutMs),
    store: (open, config, described) =>
      texts.store(nameOf(open, config), JSON.stringify(described)),
  };
}

/**
 * Whether a part of it failed to load. Such an answer is not cached, because the next load may
 * succeed.
 */
function hasFailures(described: unknown): boolean {
  const tools: unknown = isRecord(described) ? described['tools'] : undefined;
  return Array.isArray(tools) && tools.some((tool) => isRecord(tool) && 'error' in tool);
}

function keyOf(open: Instance, config: Json, { env }: Settings, guestCode: string): string {
  const { bundle, entry, grant, secrets } = open;
  const { permissions } = grant;
  // For a secret, the plugin knows only that it exists, so the key omits its value.
  const variables = permissions.env.map((name) =>
    secrets.some((secret) => secret.name === name) ? [name] : [name, env[name] ?? null],
  );
  const what = [VERSION, guestCode, entry.dialect, bundle.hash, permissions, variables, config];
  return hash('sha256', JSON.stringify(what), 'hex');
}

function parseCached(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    // The same caps as on the wire, because the file is as untrusted as the guest.
    const message = parseMessage(`{"t":"reply","i":0,"v":${text}}`, FROM_GUEST);
    return message.t === 'reply' ? message.v : undefined;
  } catch {
    return undefined;
  }
}

async function describe(plugin: Plugin, guest: Guest, timeoutMs: number): Promise<unknown> {
  let computed = false;
  let hasAnswered = false;
  const kill = async (): Promise<void> => {
    computed = (await isComputing(guest.pid)) === true;
    // It answered while it was watched.
    if (hasAnswered) return;
    guest.kill({
      cause: 'deadline',
      detail: `it did not say what it offers within ${timeoutMs} ms`,
    });
  };
  const cancelDeadline = startLoadDeadline(guest, timeoutMs, () => void kill());
  try {
    const answer = await guest.peer.ask('describe', null).answer;
    hasAnswered = true;
    return answer;
  } catch (error) {
    if (!(error instanceof GuestEnded)) throw error;
    if (error.end.cause === 'deadline') throw tooSlow(plugin, timeoutMs, computed);
    throw endError(plugin.id, error.end);
  } finally {
    cancelDeadline();
  }
}

/** Waits for capacity, which may be short when many plugins are installed at once. */
async function acquire({ guests }: Instance): Promise<Guest> {
  const beganMs = performance.now();
  for (;;) {
    try {
      const guest = await guests.load();
      if (guest.alive) return guest;
    } catch (error) {
      if (!isBulkheadError(error, 'BUSY')) throw error;
      if (performance.now() - beganMs >= MAX_WAIT_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, error.details.retryAfterMs));
    }
  }
}

/** Longest wait for capacity. */
const MAX_WAIT_MS = 60_000;

function tooSlow({ id, format }: Plugin, deadlineMs: number, computed: boolean): BulkheadError {
  const { slowStart = 'Look for a top-level `await` that does not settle.' } = formatNamed(format);
  const remedy = computed
    ? 'It was computing: look for a loop in the code that runs while a file is loaded.'
    : slowStart;
  return new BulkheadError(
    'DEADLINE_EXCEEDED',
    `${id} did not say what tools it offers within ${deadlineMs} ms (limits.loadTimeoutMs), and was killed. To fix this: ${remedy}`,
    { deadlineMs },
  );
}
