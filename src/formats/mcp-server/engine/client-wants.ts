import type { JsonObject } from '../../../../sandbox/wire/messages.js';
import type { Instance } from '../../../engine/instance/instance.js';
import { sendEvent } from '../../../engine/instance/send-event.js';
import type { PluginTable } from '../../../engine/plugins/installed.js';
import type { EventBus } from '../../../events.js';
import type { Guest } from '../../../guests/guest.js';
import type { LogLevel } from '../../../plugin/call-client.js';

/**
 * What the clients of one server want: they share its session. A fresh guest, also of changed code, is asked for
 * the same again, and is started for that if no call starts it.
 */
export interface ClientWants {
  /** The level of the client that wants the most. */
  level: LogLevel | undefined;
  /** Notes a subscription that the server accepted. Returns how to end it: whether that was the last one of its address. */
  add(uri: string): () => boolean;
}

export interface ClientWantsSpec {
  readonly id: string;
  readonly events: EventBus;
  readonly plugins: PluginTable;
  /** The server's current instance; `undefined` while it does not run. */
  readonly instance: () => Instance | undefined;
}

/** Milliseconds before a guest is started only for subscriptions. Each further one waits twice as long. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
/** Milliseconds for one answer. */
const ANSWER_MS = 30_000;

export function makeClientWants({ id, events, plugins, instance }: ClientWantsSpec): ClientWants {
  const subscriptions = new Map<string, number>();
  /** The guest that knows what the clients want. */
  let informed: Guest | undefined;
  let informedAtMs = performance.now();
  let waitMs = FIRST_WAIT_MS;
  let timer: NodeJS.Timeout | undefined;

  const send = (to: Instance, name: string, payload: JsonObject): Promise<unknown> =>
    sendEvent(id, to, { name, payload, timeoutMs: ANSWER_MS }).catch(() => {});

  const inform = async (to: Instance): Promise<void> => {
    const { level } = wants;
    const uris = [...subscriptions.keys()];
    await Promise.all([
      ...(level === undefined ? [] : [send(to, 'logging/setLevel', { level })]),
      ...uris.map((uri) => send(to, 'resources/subscribe', { uri })),
    ]);
    // The resources may have changed while no guest had the subscriptions.
    for (const uri of uris) plugins.notices.changed(id, { uri });
  };

  /** Informs a guest that is new. If there is none, starts one for the subscriptions. */
  const check = (): void => {
    const current = instance();
    if (current === undefined) {
      // Its plugin was removed, or the engine closes.
      clearTimeout(timer);
      timer = undefined;
      return;
    }
    if (subscriptions.size === 0 && wants.level === undefined) return;
    const guest = current.guests.current;
    if (guest === undefined) return startLater();
    if (guest === informed) return;
    informed = guest;
    informedAtMs = performance.now();
    void inform(current);
  };

  const startLater = (): void => {
    if (subscriptions.size === 0 || timer !== undefined) return;
    if (performance.now() - informedAtMs > LONGEST_WAIT_MS) waitMs = FIRST_WAIT_MS;
    timer = setTimeout(() => {
      timer = undefined;
      if (subscriptions.size === 0) return;
      // A guest may have loaded before it took requests, and then no event says that it takes them now.
      instance()?.guests.acquire().then(check, startLater);
    }, waitMs);
    timer.unref();
    // guard: mcp-resubscribing-slows-down
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  };

  events.on(
    (event) => {
      if ('plugin' in event && event.plugin === id) check();
    },
    ['plugin-loaded', 'guest-ended'],
  );
  plugins.onChange(check);

  const wants: ClientWants = {
    level: undefined,
    add: (uri) => {
      subscriptions.set(uri, (subscriptions.get(uri) ?? 0) + 1);
      informed ??= instance()?.guests.current;
      let isOpen = true;
      return () => {
        if (!isOpen) return false;
        isOpen = false;
        const left = (subscriptions.get(uri) ?? 1) - 1;
        if (left > 0) subscriptions.set(uri, left);
        else subscriptions.delete(uri);
        return left <= 0;
      };
    },
  };
  return wants;
}
