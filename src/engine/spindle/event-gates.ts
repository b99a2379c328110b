import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/parse.js';

/**
 * What an extension is told of an event, by what it may know (Spindle events): of the events about
 * generations nothing without the permission for them; of all others the payload where it holds a
 * permission for such data, and else only what names things.
 */
export type EventGate =
  | { readonly told: 'all'; readonly payload: Json }
  | { readonly told: 'names'; readonly payload: Json }
  | { readonly told: 'nothing' };

/** `needs`: any of these permissions; the host's word on an event of its own. */
export function gateEvent(
  event: string,
  payload: Json,
  held: readonly string[],
  needs: readonly string[] | undefined,
): EventGate {
  if (GENERATION.has(event)) {
    return held.includes('generation') ? { told: 'all', payload } : { told: 'nothing' };
  }
  // Whatever goes on between an extension, its page and its user is no other's.
  if (event.startsWith('SPINDLE_')) return { told: 'nothing' };
  const enough = needs ?? DATA.find(({ events }) => events.test(event))?.permissions;
  if (enough?.length === 0 || enough?.some((permission) => held.includes(permission)) === true) {
    return { told: 'all', payload };
  }
  return { told: 'names', payload: namesIn(payload) };
}

/** Names that mean something of their own here, and are never told as events. */
export function isReserved(event: string): boolean {
  return RESERVED.has(event.toUpperCase()) || event.toLowerCase().startsWith('spindle:');
}

const RESERVED: ReadonlySet<string> = new Set(['TOOL_INVOCATION', 'PERMISSION_CHANGED']);

const GENERATION: ReadonlySet<string> = new Set([
  'GENERATION_STARTED',
  'GENERATION_IN_PROGRESS',
  'GENERATION_ENDED',
  'GENERATION_STOPPED',
  'STREAM_TOKEN_RECEIVED',
]);

/** Of an event that is not here nobody knows what its payload holds: it is told by names alone. */
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

/** Of an object the members that name something by an id or a number; nothing of anything else. */
function namesIn(payload: Json): Json {
  if (!isRecord(payload)) return null;
  const names: JsonObject = Object.fromEntries(
    Object.entries(payload).filter(
      (member): member is [string, string | number | boolean] =>
        NAMES.test(member[0]) && isName(member[1]),
    ),
  );
  return names;
}

const NAMES = /(?:^|_)(?:id|index)$|(?:Id|Index)$/;

/** Ids are short: what is longer is content under the name of one. */
const MAX_NAME = 128;

function isName(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_NAME;
  return typeof value === 'number' || typeof value === 'boolean';
}
