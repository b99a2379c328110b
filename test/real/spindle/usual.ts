import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { messages } from './lumiverse.js';
import type { SpindleScenario, SpindleStep } from './step.js';

/** A prompt as Lumiverse's interceptors get it. */
export const prompt: readonly JsonObject[] = [
  { role: 'system', content: 'You are Ada, the keeper of the tower.' },
  { role: 'assistant', content: 'The tower is old.', __isChatHistory: true, sourceMessageId: 'm0' },
  { role: 'user', content: 'Who lives here?', __isChatHistory: true, sourceMessageId: 'm3' },
];

/** The context of an interceptor in Lumiverse. */
export const context: JsonObject = {
  chatId: 'chat-1',
  connectionId: 'conn-1',
  personaId: 'persona-1',
  characterId: 'char-1',
  generationType: 'normal',
  isDryRun: false,
  activatedWorldInfo: [],
};

/** An entry of a world book. */
const entry: JsonObject = {
  id: 'entry-1',
  world_book_id: 'book-1',
  comment: 'Tower',
  disabled: false,
  constant: false,
  extensions: {},
  key: ['tower'],
  keysecondary: [],
  position: 0,
  depth: 4,
  priority: 10,
  probability: 100,
  use_probability: false,
  content: 'The tower has nine floors.',
  automation_id: null,
  selective: false,
  selective_logic: 0,
  match_whole_words: false,
  case_sensitive: false,
  use_regex: false,
  prevent_recursion: false,
  exclude_recursion: false,
  delay_until_recursion: false,
  scan_depth: null,
  order_value: 100,
};

/** The fields that messages of pages often have. */
const FIELDS: JsonObject = {
  chatId: 'chat-1',
  chat_id: 'chat-1',
  characterId: 'char-1',
  character_id: 'char-1',
  messageId: 'm2',
  message_id: 'm2',
  connectionId: 'conn-1',
  connection_id: 'conn-1',
  personaId: 'persona-1',
  requestId: 'request-1',
  id: 'item-1',
  name: 'Lantern',
  title: 'Lantern',
  text: 'A lantern.',
  content: 'A lantern.',
  value: 'lantern',
  query: 'tower',
  key: 'lantern',
  enabled: true,
  force: true,
  settings: { enabled: true },
  config: { enabled: true },
  patch: { enabled: true },
  data: {},
};

/**
 * The usual acts of a host: the extension starts, its page sends messages of all its types, a
 * message is sent, answered, swiped, edited and deleted, and a prompt passes the handlers.
 */
export function usual(
  types: readonly string[],
  more: Partial<SpindleScenario> & { readonly typeKey?: string } = {},
): SpindleScenario {
  const { typeKey = 'type', ...rest } = more;
  const message = (type: string): SpindleStep => ({ message: { [typeKey]: type, ...FIELDS } });
  const last: Json = messages[2] ?? null;
  const event = (name: string, payload: JsonObject): SpindleStep => ({ event: name, payload });
  const chat = { chatId: 'chat-1', characterId: 'char-1' };
  return {
    grant: {},
    ...rest,
    steps: [
      { boot: true },
      event('CHAT_SWITCHED', { ...chat, chat: null }),
      event('SETTINGS_UPDATED', { key: 'activeChatId', value: 'chat-1' }),
      ...types.map(message),
      event('GENERATION_STARTED', { ...chat, generationId: 'g1', generationType: 'normal' }),
      { intercept: prompt, context },
      { handle: 'contextHandler', context: { ...context, messages: [...prompt] } },
      event('STREAM_TOKEN_RECEIVED', { ...chat, generationId: 'g1', token: 'The ', type: 'text' }),
      event('GENERATION_ENDED', {
        ...chat,
        generationId: 'g1',
        messageId: 'm2',
        content: 'The tower.',
      }),
      event('MESSAGE_SENT', { ...chat, message: last }),
      event('MESSAGE_SWIPED', { ...chat, message: last, messageId: 'm2', swipeId: 0 }),
      event('MESSAGE_EDITED', { ...chat, message: last, messageId: 'm2' }),
      event('MESSAGE_DELETED', { ...chat, messageId: 'm3' }),
      event('CHAT_CHANGED', chat),
      {
        handle: 'contentProcessor',
        context: {
          ...chat,
          messageId: 'm2',
          content: 'A lantern.',
          origin: 'create',
          userId: 'user-1',
        },
      },
      {
        handle: 'macroInterceptor',
        context: {
          template: 'Hello {{char}}.',
          commit: true,
          phase: 'prompt',
          env: {
            commit: true,
            names: {},
            character: {},
            chat: { id: 'chat-1' },
            system: {},
            variables: { local: {}, global: {}, chat: {} },
            extra: {},
          },
        },
      },
      {
        handle: 'worldInfoInterceptor',
        context: { ...chat, entries: [entry], messages: [], chatTurn: 1, chatMetadata: {} },
      },
      { boot: true },
      ...(rest.steps ?? []),
    ],
  };
}
