import { isRecord } from '../../../../sandbox/wire/json.js';
import type { Json } from '../../../../sandbox/wire/messages.js';
import type { Registrations } from '../../../plugin/tool.js';
import type { InstalledPlugin } from '../../../engine/plugins/installed.js';
import { sendEvent } from '../../../engine/instance/send-event.js';

/** A running Spindle extension, as the host uses it. */
export interface Extension {
  readonly id: string;
  /** Its Spindle permissions now. */
  readonly held: readonly string[];
  /** Its registrations now. */
  readonly registrations: Registrations;
  /** The only user that it is installed for; absent if it is installed for all. */
  readonly user: string | undefined;
  /** Whether it may run in the background. */
  readonly background: boolean;
  /** Whether its guest is running now. */
  readonly isRunning: boolean;
  /** The timeout of its interceptor in milliseconds, by its manifest or its configuration. */
  readonly interceptorTimeoutMs: number | undefined;
  /** Sends an event and returns the answer. Rejects with `DEADLINE_EXCEEDED` after `timeoutMs`. */
  send(name: string, payload: Json, options: EventTargetOptions): Promise<Json>;
}

export interface EventTargetOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly userId?: string | undefined;
}

/** The extensions among the plugins of an engine, in the order of discovery. */
export function extensionsOf(installed: readonly InstalledPlugin[]): readonly Extension[] {
  return installed.flatMap(({ plugin, entries, config, background }) => {
    const { id } = plugin;
    return entries.flatMap((one): Extension[] => {
      const { entry } = one;
      const [instance] = one.instances;
      if (entry.dialect !== 'spindle' || instance === undefined) return [];
      const { installScope, installedFor } = config;
      const isForOne = installScope !== 'operator' && typeof installedFor === 'string';
      return [
        {
          id,
          get held() {
            return one.effective.powers;
          },
          get registrations() {
            return one.contributions?.registrations ?? NONE;
          },
          user: isForOne ? installedFor : undefined,
          background,
          get isRunning() {
            return instance.guests.current !== undefined;
          },
          interceptorTimeoutMs: timeoutIn(entry.pluginInfo) ?? numberIn(config),
          send: (name, payload, { timeoutMs, signal, userId }) =>
            sendEvent(id, instance, {
              name,
              payload,
              ...(userId === undefined ? {} : { userId }),
              timeoutMs,
              signal,
            }),
        },
      ];
    });
  });
}

const NONE: Registrations = {
  events: [],
  hooks: {},
  macros: [],
  endpoints: [],
  commands: [],
  providers: [],
};

function timeoutIn(pluginInfo: unknown): number | undefined {
  return isRecord(pluginInfo) ? numberIn(pluginInfo['manifest']) : undefined;
}

function numberIn(given: unknown): number | undefined {
  const value = isRecord(given) ? given['interceptorTimeoutMs'] : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Whether an event that a user caused is for this extension. */
export function concerns({ user }: Extension, userId: string | undefined): boolean {
  return user === undefined || userId === undefined || user === userId;
}
