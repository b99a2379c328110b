import type { Json, JsonObject } from '../../../../sandbox/wire/messages.js';
import { BulkheadError } from '../../../errors.js';
import { concerns, type Extension } from './extension.js';
import { isRecord } from '../../../../sandbox/wire/json.js';

export interface EmitOptions {
  /** The user who caused the event. Extensions installed for another user do not get it. */
  readonly userId?: string;
  /**
   * For the host's own event: an extension with any of these Spindle permissions gets the whole
   * payload. With an empty list, every extension does. Other extensions get only ids.
   */
  readonly needs?: readonly string[];
}

/** Milliseconds in which an extension must pass an event to its handlers. */
const EVENT_MS = 5_000;

/** Events in delivery to one extension. Further events are dropped. */
const MAX_PENDING = 256;

/**
 * Sends an event to each extension that subscribed to it and may run in the background. Returns
 * their ids at once, without waiting for their handlers.
 */
export function makeEmit(
  extensions: () => readonly Extension[],
  warn: (extension: string, message: string) => void,
): (event: string, payload: Json, options?: EmitOptions) => readonly string[] {
  const pending = new Map<string, number>();
  const warned = new Set<string>();
  const warnOnce = (id: string, event: string): void => {
    if (warned.has(id)) return;
    warned.add(id);
    warn(
      id,
      `${id} subscribed to ${event} and did not get it: the engine's option background does not name ${id}.`,
    );
  };
  return (event, payload, { userId, needs } = {}) => {
    if (isReserved(event)) {
      throw new BulkheadError(
        'INVALID_OPTIONS',
        `The host cannot emit ${event}: that name is reserved. Choose another name for the event.`,
        { option: 'event' },
      );
    }
    const copy: Json = JSON.parse(JSON.stringify(payload ?? null));
    return extensions().flatMap((extension): string[] => {
      const { id, registrations, held, background } = extension;
      if (!registrations.events.includes(event) || !concerns(extension, userId)) return [];
      if (!background) {
        warnOnce(id, event);
        return [];
      }
      const visible = visiblePayload(event, copy, held, needs);
      const count = pending.get(id) ?? 0;
      if (visible === undefined || count >= MAX_PENDING) return [];
      pending.set(id, count + 1);
      const sent = extension.send(event, visible.payload, { timeoutMs: EVENT_MS, userId });
      // The extension's log has the error.
      void sent.catch(() => undefined).finally(() => pending.set(id, (pending.get(id) ?? 1) - 1));
      return [id];
    });
  };
}

interface VisiblePayload {
  /** Whether the payload is complete. */
  readonly isWhole: boolean;
  readonly payload: Json;
}

/**
 * The payload of an event for one extension (Spindle events). Events about generations need their
 * permission. Other payloads are complete with a permission for such data, otherwise only their ids
 * remain. `undefined`: the extension does not get the event.
 *
 * `needs`: the host's list of permissions for its own event.
 */
export function visiblePayload(
  event: string,
  payload: Json,
  held: readonly string[],
  needs: readonly string[] | undefined,
): VisiblePayload | undefined {
  if (GENERATION.has(event)) {
    return held.includes('generation') ? { isWhole: true, payload } : undefined;
  }
  // Messages between an extension, its page and its user.
  if (event.startsWith('SPINDLE_')) return undefined;
  if (event === 'SETTINGS_UPDATED' && needs === undefined && isActiveChat(payload)) {
    return { isWhole: true, payload };
  }
  const enough = needs ?? DATA.find(({ events }) => events.test(event))?.permissions;
  if (enough?.length === 0 || enough?.some((permission) => held.includes(permission)) === true) {
    return { isWhole: true, payload };
  }
  // guard: spindle-event-reduced-to-names
  return { isWhole: false, payload: idsIn(payload) };
}

/** Names with a special meaning in the dialect. The host cannot emit them. */
function isReserved(event: string): boolean {
  return RESERVED.has(event.toUpperCase()) || event.toLowerCase().startsWith('spindle:');
}

const RESERVED: ReadonlySet<string> = new Set([
  'TOOL_INVOCATION',
  'PERMISSION_CHANGED',
  'PERMISSION_DENIED',
]);

const GENERATION: ReadonlySet<string> = new Set([
  'GENERATION_STARTED',
  'GENERATION_IN_PROGRESS',
  'GENERATION_ENDED',
  'GENERATION_STOPPED',
  'STREAM_TOKEN_RECEIVED',
]);

/** Permissions for the payloads of events. The payload of an unlisted event is reduced to ids. */
const DATA: readonly { readonly events: RegExp; readonly permissions: readonly string[] }[] = [
  { events: /^(?:MESSAGE|SWIPE|CHAT)_/, permissions: ['chats', 'chat_mutation'] },
  { events: /^CHARACTER_/, permissions: ['characters'] },
  { events: /^PERSONA_/, permissions: ['personas'] },
  { events: /^(?:WORLD_INFO|WORLD_BOOK)_/, permissions: ['world_books'] },
  { events: /^PRESET_/, permissions: ['presets'] },
  { events: /^REGEX_/, permissions: ['regex_scripts'] },
  { events: /^DATABANK_/, permissions: ['databanks'] },
  { events: /^MEMOR(?:Y|IES)_/, permissions: ['memories'] },
  { events: /^IMAGE_/, permissions: ['images'] },
  { events: /^(?:SETTINGS|THEME)_/, permissions: ['app_manipulation'] },
];

/** Which chat is open: an id, like the ids of other events. */
function isActiveChat(payload: Json): boolean {
  if (!isRecord(payload) || payload['key'] !== 'activeChatId') return false;
  const { key: _, value, ...others } = payload;
  return (value === null || isId(value)) && Object.keys(others).length === 0;
}

/** The members of an object that are ids or indexes; `null` for any other value. */
function idsIn(payload: Json): Json {
  if (!isRecord(payload)) return null;
  const ids: JsonObject = Object.fromEntries(
    Object.entries(payload).filter(
      (member): member is [string, string | number | boolean] =>
        ID_KEY.test(member[0]) && isId(member[1]),
    ),
  );
  return ids;
}

const ID_KEY = /(?:^|_)(?:id|index)$|(?:Id|Index)$/;

/** Ids are short. A longer text in an id field counts as content. */
const MAX_ID = 128;

function isId(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_ID;
  return typeof value === 'number' || typeof value === 'boolean';
}
