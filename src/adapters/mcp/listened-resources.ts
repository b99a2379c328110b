import type { ServedNames } from './sources.js';

/**
 * The resources that clients of the current version of the protocol listen to (`subscriptions/listen`).
 * A resource is subscribed to once at its server, however many clients listen to it.
 */
export interface ListenedResources {
  /** Subscribes for one client. Resources that are unknown or cannot be subscribed to are left out. Never rejects. */
  listen(uris: readonly string[]): Promise<Listened>;
  /** Ends all subscriptions. */
  close(): void;
}

export interface Listened {
  /** The resources whose changes are reported, as the client named them. */
  readonly uris: readonly string[];
  /** The client listens no more. Only the first call counts. */
  end(): void;
}

/** Resources that one client subscribes to at once. */
export const MAX_SUBSCRIPTIONS = 256;

/** Milliseconds that a server has to answer a subscription. */
const ANSWER_MS = 30_000;

interface Held {
  clients: number;
  /** Resolves with how to end the subscription; `undefined` if there is none. */
  readonly opened: Promise<(() => void) | undefined>;
}

/** `report` is called with the name of a resource that changed, as clients name it. */
export function makeListenedResources(
  names: Pick<ServedNames, 'resource'>,
  report: (uri: string) => void,
): ListenedResources {
  const held = new Map<string, Held>();

  const open = async (uri: string): Promise<(() => void) | undefined> => {
    const found = names.resource(uri);
    if (found === undefined) return undefined;
    const { source, name } = found;
    const end = await source.subscribe(name, AbortSignal.timeout(ANSWER_MS));
    const stop = source.onNotice((notice) => {
      if (notice.type === 'resource-updated' && notice.uri === name) report(uri);
    });
    return () => {
      stop();
      end().catch(() => {});
    };
  };
  const release = (uri: string, one: Held): void => {
    one.clients -= 1;
    if (one.clients > 0) return;
    if (held.get(uri) === one) held.delete(uri);
    void one.opened.then((end) => end?.());
  };
  const hold = async (uri: string): Promise<[string, Held] | undefined> => {
    const one = held.get(uri) ?? { clients: 0, opened: open(uri).catch(() => undefined) };
    one.clients += 1;
    held.set(uri, one);
    if ((await one.opened) !== undefined) return [uri, one];
    release(uri, one);
    return undefined;
  };

  return {
    listen: async (uris) => {
      // guard: mcp-listened-resources-capped
      const wanted = [...new Set(uris)].slice(0, MAX_SUBSCRIPTIONS);
      const all = await Promise.all(wanted.map(hold));
      const found = all.filter((one) => one !== undefined);
      return {
        uris: found.map(([uri]) => uri),
        end: () => {
          for (const [uri, one] of found.splice(0)) release(uri, one);
        },
      };
    },
    close: () => {
      for (const { opened } of held.values()) void opened.then((end) => end?.());
      held.clear();
    },
  };
}
