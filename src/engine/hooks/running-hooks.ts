import { BROADCAST_BYTES } from '../../../sandbox/wire/hooks.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import type { EventBus } from '../../events.js';

/** A hook while it runs. */
export interface RunningHook {
  readonly hook: string;
  /** Absent where the hook belongs to no conversation. */
  readonly conversationId?: string;
  /** Whether its context has `broadcast`. */
  readonly broadcasts: boolean;
}

/** The hooks of one entry that run now, by the ids under which its guest knows them. */
export interface RunningHooks {
  begin(running: RunningHook): number;
  end(run: number): void;
  /** Tells whoever listens what a guest says that a hook broadcasts; `run` and `detail` are its word. */
  broadcast(run: unknown, detail: unknown): void;
}

/**
 * Who broadcasts, from which hook and in which conversation is the host's to say: a guest names one
 * of its own runs, and of those only one that is under way.
 */
export function makeRunningHooks(plugin: string, events: EventBus): RunningHooks {
  const running = new Map<unknown, RunningHook>();
  let lastRun = 0;
  return {
    begin: (hook) => {
      lastRun += 1;
      running.set(lastRun, hook);
      return lastRun;
    },
    end: (run) => {
      running.delete(run);
    },
    broadcast: (run, detail) => {
      const from = running.get(run);
      if (from?.broadcasts !== true || !isParsed(detail)) return;
      const { hook, conversationId } = from;
      events.emit({
        type: 'hook-broadcast',
        plugin,
        hook,
        ...(conversationId === undefined ? {} : { conversationId }),
        detail: JSON.stringify(detail).length > BROADCAST_BYTES ? TOO_LARGE : detail,
      });
    },
  };
}

/** What an honest guest says for it, too. */
const TOO_LARGE = { unserializableDetail: true };

/** What came off the wire is JSON, unless it was left out. */
function isParsed(detail: unknown): detail is Json {
  return detail !== undefined;
}
