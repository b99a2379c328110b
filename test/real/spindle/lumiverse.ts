/**
 * A Lumiverse with one user, one chat and one character. Both runs get its answers. It imports
 * nothing, because Bun runs it too.
 */

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const chat: Json = {
  id: 'chat-1',
  character_id: 'char-1',
  name: 'The tower',
  metadata: { title: 'The tower' },
  created_at: 1_700_000_000,
  updated_at: 1_700_000_100,
};
const message = (index: number, role: string, content: string): Json => ({
  id: `m${index}`,
  chat_id: 'chat-1',
  index_in_chat: index,
  role,
  is_user: role === 'user',
  name: role === 'user' ? 'Sam' : 'Ada',
  content,
  swipe_id: 0,
  swipes: [content],
  swipe_dates: [1_700_000_000],
  send_date: 1_700_000_000,
  extra: {},
  metadata: {},
  created_at: 1_700_000_000,
});
export const messages: readonly Json[] = [
  message(0, 'assistant', 'The tower is old. A lantern glows above the door.'),
  message(1, 'user', 'I knock twice and wait.'),
  message(2, 'assistant', '<p>"Come in," says Ada.</p> The door opens at 9:00 PM.'),
  message(3, 'user', 'Who lives here?'),
];
const character: Json = {
  id: 'char-1',
  name: 'Ada',
  description: 'A keeper of the tower.',
  personality: 'calm',
  scenario: 'A tower by the sea.',
  first_mes: 'The tower is old.',
  mes_example: '',
  alternate_greetings: [],
  tags: ['tower'],
  creator_notes: '',
  system_prompt: '',
  post_history_instructions: '',
  extensions: {},
  world_book_ids: ['book-1'],
  avatar_url: null,
  created_at: 1_700_000_000,
  updated_at: 1_700_000_000,
};
const persona: Json = {
  id: 'persona-1',
  name: 'Sam',
  title: 'A traveller',
  description: 'Curious.',
  is_default: true,
  image_id: null,
  avatar_url: null,
  attached_world_book_id: null,
  metadata: {},
};
const connection: Json = {
  id: 'conn-1',
  name: 'Main',
  provider: 'openai',
  model: 'model-1',
  api_url: 'https://api.example.test/v1',
  is_default: true,
  has_api_key: true,
  preset_id: 'preset-1',
  metadata: {},
};
const book: Json = { id: 'book-1', name: 'Tower lore', description: 'Lore.', metadata: {} };
const entry: Json = {
  id: 'entry-1',
  world_book_id: 'book-1',
  key: ['tower'],
  keysecondary: [],
  content: 'The tower has nine floors.',
  comment: 'Tower',
  disabled: false,
  constant: false,
  position: 0,
  depth: 4,
  priority: 10,
  order_value: 100,
  extensions: {},
};
const preset: Json = {
  id: 'preset-1',
  name: 'Default',
  provider: 'loom',
  parameters: {},
  prompt_order: [],
  prompts: {},
  metadata: {},
  blocks: [],
};
const block: Json = {
  id: 'block-1',
  name: 'Main prompt',
  content: 'Write.',
  role: 'system',
  enabled: true,
  position: 0,
};
const page = (item: Json): Json => ({ data: [item], total: 1 });
const EMPTY: Json = { data: [], total: 0 };
const tokens: Json = {
  total_tokens: 42,
  model: 'model-1',
  modelSource: 'main',
  tokenizer_id: null,
  tokenizer_name: 'approximate',
  approximate: true,
};
const script: Json = {
  id: 'script-1',
  name: 'Trim',
  find_regex: 'a+',
  replace_string: 'a',
  flags: 'g',
  placement: ['ai_output'],
  scope: 'global',
  scope_id: null,
  target: 'prompt',
  disabled: false,
  sort_order: 0,
  description: '',
  metadata: {},
};
const image: Json = {
  id: 'image-1',
  original_filename: 'a.png',
  mime_type: 'image/png',
  width: 1,
  height: 1,
  has_thumbnail: false,
  url: '/api/v1/images/image-1',
};

const ANSWERS: Readonly<Record<string, Json>> = {
  'characters.get': character,
  'characters.list': page(character),
  'characters.update': character,
  'chats.get': chat,
  'chats.getActive': chat,
  'chats.list': page(chat),
  'chats.update': chat,
  'chats.getMemories': { chunks: [], formatted: '', count: 0, enabled: false },
  'chat.getMessages': messages,
  'chat.appendMessage': { id: 'm-new' },
  'chat.isMessageHidden': false,
  'personas.get': persona,
  'personas.getActive': persona,
  'personas.getDefault': persona,
  'personas.list': page(persona),
  'personas.create': persona,
  'personas.update': persona,
  'personas.getWorldBook': null,
  'connections.get': connection,
  'connections.list': [connection],
  'world_books.get': book,
  'world_books.list': page(book),
  'world_books.create': book,
  'world_books.update': book,
  'world_books.getActivated': [],
  'world_books.getGlobal': [],
  'world_books.entries.get': entry,
  'world_books.entries.list': page(entry),
  'world_books.entries.create': entry,
  'world_books.entries.update': entry,
  'presets.get': preset,
  'presets.list': page(preset),
  'presets.update': preset,
  'presets.create': preset,
  'presets.blocks.list': [block],
  'presets.blocks.get': block,
  'presets.blocks.update': block,
  'presets.categories.list': [],
  'regex_scripts.list': page(script),
  'regex_scripts.get': script,
  'regex_scripts.getActive': [script],
  'regex_scripts.create': script,
  'regex_scripts.update': script,
  'databanks.list': EMPTY,
  'databanks.documents.list': EMPTY,
  'global_addons.list': EMPTY,
  'images.list': page(image),
  'images.get': image,
  'images.upload': image,
  'images.uploadMany': [image],
  'images.uploadFromDataUrl': image,
  'images.delete': true,
  'images.deleteMany': 1,
  'imageGen.getProviders': [],
  'imageGen.listConnections': [],
  'imageGen.generate': { imageId: 'image-1', imageDataUrl: 'data:image/png;base64,iVBORw0KGgo=' },
  'imageGen.getModels': [],
  'tokens.countText': tokens,
  'tokens.countMessages': tokens,
  'tokens.countChat': tokens,
  'council.getSettings': { councilMode: false, members: [], toolsSettings: { mode: 'sidecar' } },
  'council.getMembers': [],
  'council.getAvailableLumiaItems': [],
  'dlc.getCatalog': {
    packs: [],
    lumiaItems: [],
    narrativeStyles: [],
    utilities: [],
    retrofits: [],
    tools: [],
  },
  'users.isVisible': true,
  'users.getRole': 'user',
  'modal.open': { dismissedBy: 'user' },
  'modal.confirm': { confirmed: true },
  'prompt.input': { value: 'typed', cancelled: false },
  'textEditor.open': { text: 'edited', cancelled: false },
  'version.getBackend': '1.2.0',
  'version.getFrontend': '1.2.0',
  'oauth.createState': 'state-1',
  'events.query': [],
  'events.replay': [],
  'events.getLatestState': {},
  'memories.entities.list': [],
  'memories.entities.upsert': { id: 'entity-1', name: 'Ada' },
  'memories.relations.list': [],
  'memories.salience.list': [],
  'ui.getDrawerTabs': [],
  'ui.getSettingsTabs': [],
  'theme.getCurrent': { mode: 'dark', accent: { h: 200, s: 50, l: 50 } },
  'theme.generateVariables': {},
  'theme.extractColors': { dominant: '#112233', palette: ['#112233'] },
  'webSearch.query': { results: [] },
  'webSearch.getSettings': { enabled: false },
  'generate.dryRun': {
    messages: [{ role: 'user', content: 'Who lives here?' }],
    breakdown: [],
    model: 'model-1',
    provider: 'openai',
  },
  assemble: { messages: [], breakdown: [] },
};

/** Bytes cannot be in JSON: this upload is a PNG's first bytes. */
export const UPLOAD = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]);

export const GENERATED = 'The lantern glows. Ada smiles.';

/** What Lumiverse answers to one member. `text` is the first text of its arguments. */
export function answerOf(
  member: string,
  text: string,
  given: { readonly generated?: string; readonly answers?: Readonly<Record<string, Json>> },
): unknown {
  const own = given.answers?.[member];
  if (own !== undefined) return own;
  if (member === 'macros.resolve') {
    const resolved = text.replaceAll('{{char}}', 'Ada').replaceAll('{{user}}', 'Sam');
    return { text: resolved, diagnostics: [] };
  }
  if (member === 'uploads.get') return { fileName: 'a.png', size: UPLOAD.length, data: UPLOAD };
  if (member === 'generate.batch') return [{ content: given.generated ?? GENERATED }];
  if (member.startsWith('generate.') && member !== 'generate.dryRun') {
    return {
      content: given.generated ?? GENERATED,
      finish_reason: 'stop',
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    };
  }
  return ANSWERS[member] ?? null;
}

/** Milliseconds without a request after which a step has ended. Extensions debounce by less. */
export const QUIET_MS = 700;

/** Milliseconds that a model takes. */
export const MODEL_MS = 60;

/** What an extension asked of its host, without what only one of the two runs says. */
export function effectOf(member: string, values: readonly unknown[]): string {
  const given = member.startsWith('generate.') ? values.map(withoutType) : values;
  return `${member} ${leaves(given).toSorted().join(' ')}`;
}

/** The effects of a step that are compared. */
export function comparable(
  effects: readonly string[],
  { periodic = [] }: { readonly periodic?: readonly string[] },
): readonly string[] {
  return effects
    .filter((effect) => !periodic.includes(effect.slice(0, effect.indexOf(' '))))
    .toSorted();
}

/** The member already says the type of a generation. */
function withoutType(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input;
  return Object.fromEntries(Object.entries(input).filter(([key]) => key !== 'type'));
}

/** All texts, numbers and truths in the values, with their keys: how they are nested is left out. */
function leaves(value: unknown, key = ''): string[] {
  if (value === undefined || value === null) return [];
  if (value instanceof Uint8Array) return [`${key}=bytes:${[...value].join(',')}`];
  if (Array.isArray(value)) return value.flatMap((item) => leaves(item, key));
  if (typeof value === 'object') {
    return Object.entries(value).flatMap(([name, item]) => {
      if (NOT_COMPARED.has(name)) return [];
      return leaves(item, name);
    });
  }
  // The user is the same in all messages, and only some of Lumiverse's name it.
  if (value === 'user-1') return [];
  if (typeof value === 'string' && ENGINE_ERROR.test(value)) return ['ENGINE ERROR'];
  return [JSON.stringify(value).replace(TIME, 'TIME').replace(RANDOM, 'RANDOM')];
}

/** Times differ between two runs: in ISO form, and milliseconds in decimals or in base 36. */
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\b1[6-9]\d{11}\b|\bm[a-z0-9]{7}(?=[_-])/g;
/** And random ids: UUIDs, what follows a time, and large numbers. */
const RANDOM =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<=TIME[:_-])[a-z0-9]{4,14}|\b[0-9a-f]{16}\b|\b\d{6,}\b/g;
/** Bun's and Node's engines word their own errors differently. */
const ENGINE_ERROR =
  /Cannot (?:read|convert|destructure)|is not an object|is not iterable|must not be null|not be null or undefined|is not a function|argument must be|undefined is not|JSON Parse error|is not valid JSON|Unexpected token/;

const NOT_COMPARED = new Set([
  'requestId',
  'userId',
  'signal',
  'modalRequestId',
  'openRequestId',
  'durationMs',
]);
