import type { Json } from '../../../sandbox/wire/messages.js';
import type { Registrations } from '../../plugin/registrations.js';
import type { Installed } from '../plugins/installed.js';
import type { Settings } from '../options/settings.js';
import { tellEntry } from '../hooks/tell.js';

/** A Spindle extension that runs, as those see it who tell it things. */
export interface Extension {
  readonly id: string;
  /** Spindle's permissions that it holds now. */
  readonly held: readonly string[];
  /** What it has registered now. */
  readonly registrations: Registrations;
  /** The one user that it is installed for; absent where it is for all, or the host has only one. */
  readonly user: string | undefined;
  /** Whether it may run while nobody asks it for anything. */
  readonly background: boolean;
  /** What its manifest says of the time that its interceptor takes. */
  readonly interceptorTimeoutMs: number | undefined;
  tell(name: string, payload: Json, how: TellOptions): Promise<Json>;
}

export interface TellOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly userId?: string | undefined;
}

/** The extensions among the plugins of an engine, in the order in which they were found. */
export function extensionsOf(
  installed: readonly Installed[],
  settings: Pick<Settings, 'background' | 'limits'>,
): readonly Extension[] {
  return installed.flatMap(({ plugin, entries, config }) => {
    const { id } = plugin;
    return entries.flatMap((one): Extension[] => {
      const { entry, offer } = one;
      const [room] = one.rooms;
      if (entry.dialect !== 'spindle' || room === undefined) return [];
      const { installScope, installedFor } = config;
      const isForOne = installScope !== 'operator' && typeof installedFor === 'string';
      return [
        {
          id,
          get held() {
            return one.effective.powers;
          },
          get registrations() {
            return offer?.registrations ?? NONE;
          },
          user: isForOne ? installedFor : undefined,
          background: settings.background.includes(id),
          interceptorTimeoutMs: timeoutIn(entry.introduction) ?? numberIn(config),
          tell: (name, payload, { timeoutMs, signal, userId }) =>
            tellEntry(id, room, {
              name,
              payload,
              ...(userId === undefined ? {} : { userId }),
              timeoutMs,
              signal,
              maxAnswerBytes: settings.limits.maxResultBytes,
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

function timeoutIn(introduction: unknown): number | undefined {
  if (typeof introduction !== 'object' || introduction === null) return undefined;
  return numberIn(Reflect.get(introduction, 'manifest'));
}

function numberIn(given: unknown): number | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const value: unknown = Reflect.get(given, 'interceptorTimeoutMs');
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Whether something that is one user's doing is any business of the extension. */
export function concerns({ user }: Extension, userId: string | undefined): boolean {
  return user === undefined || userId === undefined || user === userId;
}
