import type { Json } from '../../wire/messages.js';

/** Members of one namespace that only the host implements. */
export interface SurfaceGroup {
  /** For example `world_books.entries`. `''` means `spindle` itself. */
  readonly path: string;
  /** The permission that all of them need, if any. */
  readonly permission?: string;
  /** Names of functions that only read, each with its answer if the host does not provide it. */
  readonly reads?: Readonly<Record<string, EmptyAnswer>>;
  /** Names of functions that change something. */
  readonly writes?: string;
  /** Names of functions that send a message to the host and return nothing. */
  readonly sends?: string;
}

/** `page`: `{ data: [], total: 0 }`. `catalog`: no packs and no items. `none`: no empty answer; the call rejects. */
type EmptyAnswer = 'page' | 'list' | 'null' | 'false' | 'record' | 'catalog' | 'none';

export const emptyAnswers: Readonly<Record<EmptyAnswer, (() => Json) | undefined>> = {
  page: () => ({ data: [], total: 0 }),
  list: () => [],
  null: () => null,
  false: () => false,
  record: () => ({}),
  catalog: () => ({
    packs: [],
    lumiaItems: [],
    narrativeStyles: [],
    utilities: [],
    retrofits: [],
    tools: [],
  }),
  none: undefined,
};

const CRUD = { list: 'page', get: 'null' } as const;

/** A user's data in Lumiverse: characters, chats, presets, books. */
const contentSurface: readonly SurfaceGroup[] = [
  {
    path: 'characters',
    permission: 'characters',
    reads: CRUD,
    writes: 'create setAvatar update delete',
  },
  {
    path: 'chats',
    permission: 'chats',
    reads: { ...CRUD, getActive: 'null', getMemories: 'none' },
    writes: 'update delete',
  },
  {
    path: 'chat',
    permission: 'chat_mutation',
    reads: { getMessages: 'list', isMessageHidden: 'false' },
    writes: 'appendMessage updateMessage deleteMessage setMessageHidden setMessagesHidden',
  },
  { path: 'chat', permission: 'app_manipulation', writes: 'setStyleMode' },
  {
    path: 'personas',
    permission: 'personas',
    reads: { ...CRUD, getDefault: 'null', getActive: 'null', getWorldBook: 'null' },
    writes: 'create update delete switchActive',
  },
  { path: 'global_addons', permission: 'personas', reads: CRUD, writes: 'update' },
  { path: 'presets', permission: 'presets', reads: CRUD, writes: 'create update delete' },
  {
    path: 'presets.blocks',
    permission: 'presets',
    reads: { list: 'list', get: 'null' },
    writes: 'create update delete',
  },
  { path: 'presets.categories', permission: 'presets', reads: { list: 'list' } },
  {
    path: 'world_books',
    permission: 'world_books',
    reads: { ...CRUD, getActivated: 'list', getGlobal: 'list' },
    writes: 'create update delete setGlobal activateGlobal deactivateGlobal',
  },
  {
    path: 'world_books.entries',
    permission: 'world_books',
    reads: CRUD,
    writes: 'create update delete setExtension',
  },
  { path: 'entityExtensions', permission: 'world_books', writes: 'setNamespace' },
  {
    path: 'regex_scripts',
    permission: 'regex_scripts',
    reads: { ...CRUD, getActive: 'list' },
    writes: 'create update delete',
  },
  { path: 'databanks', permission: 'databanks', reads: CRUD, writes: 'create update delete' },
  {
    path: 'databanks.documents',
    permission: 'databanks',
    reads: { ...CRUD, getContent: 'null' },
    writes: 'create update delete reprocess',
  },
  {
    path: 'images',
    permission: 'images',
    reads: CRUD,
    writes: 'upload uploadMany uploadFromDataUrl delete deleteMany',
  },
  {
    path: 'media',
    permission: 'media',
    writes:
      'convertAudio convertVideo transcodeVideo removeAudioFromVideo addAudioToVideo createVideoFromImageAndAudio',
  },
  {
    path: 'imageGen',
    permission: 'image_gen',
    reads: {
      getProviders: 'list',
      listConnections: 'list',
      getConnection: 'null',
      getModels: 'list',
      generate: 'none',
    },
  },
  {
    path: 'connections',
    permission: 'generation',
    reads: { list: 'list', get: 'null', resolveDispatch: 'null' },
  },
  {
    path: 'council',
    reads: { getSettings: 'null', getMembers: 'list', getAvailableLumiaItems: 'list' },
  },
  { path: 'dlc', reads: { getCatalog: 'catalog' } },
];

const permission = 'memories';

/** Lumiverse's data about chats, other than their messages. */
const memorySurface: readonly SurfaceGroup[] = [
  {
    path: 'memories.cortex',
    permission,
    reads: {
      getConfig: 'none',
      query: 'none',
      getCached: 'null',
      queryLinked: 'none',
      getCachedLinked: 'null',
    },
    writes: 'putConfig invalidateCache invalidateLinkedCache',
  },
  {
    path: 'memories.entities',
    permission,
    reads: { list: 'list', get: 'null', findByName: 'null', getFacts: 'list' },
    writes: 'upsert updateStatus addFacts updateEmotionalValence',
  },
  {
    path: 'memories.relations',
    permission,
    reads: { list: 'list', listAll: 'list', forEntity: 'list', forEntities: 'list' },
    writes: 'upsert',
  },
  {
    path: 'memories.consolidations',
    permission,
    reads: { list: 'list', latestArc: 'null' },
    writes: 'run',
  },
  { path: 'memories.salience', permission, reads: { list: 'list' } },
  {
    path: 'memories.vaults',
    permission,
    reads: { list: 'list', get: 'null', getChunks: 'list' },
    writes: 'create rename delete reindex',
  },
  {
    path: 'memories.links',
    permission,
    reads: { list: 'list' },
    writes: 'attach remove toggle',
  },
  {
    path: 'memories.chatMemory',
    permission,
    reads: { listChunks: 'list', get: 'none' },
    writes: 'warm invalidate',
  },
  {
    path: 'memories.stats',
    permission,
    reads: { usage: 'none', ingestionStatus: 'null', ingestionTelemetry: 'none' },
  },
];

/** The user interface of Lumiverse, and notifications to its user. */
const appSurface: readonly SurfaceGroup[] = [
  { path: '', writes: 'batch' },
  {
    path: 'events',
    permission: 'event_tracking',
    reads: { query: 'list', replay: 'list', getLatestState: 'record' },
    writes: 'track',
  },
  {
    path: 'theme',
    permission: 'app_manipulation',
    reads: {
      getCurrent: 'null',
      extractColors: 'none',
      deriveOverlay: 'none',
      generateVariables: 'none',
    },
    writes: 'apply applyPalette clear',
  },
  { path: 'color', permission: 'app_manipulation', reads: { extractColors: 'none' } },
  {
    path: 'push',
    permission: 'push_notification',
    reads: { getStatus: 'none' },
    writes: 'send',
  },
  { path: 'webSearch', permission: 'web_search', reads: { query: 'none', getSettings: 'none' } },
  {
    path: 'tokens',
    reads: {
      countText: 'none',
      countTextBatch: 'none',
      countMessages: 'none',
      countChat: 'none',
    },
  },
  { path: 'uploads', reads: { get: 'null', readChunk: 'null', delete: 'false' } },
  { path: 'users', reads: { isVisible: 'false', getRole: 'none' } },
  { path: 'textEditor', reads: { open: 'none', close: 'null' } },
  { path: 'modal', reads: { open: 'none', close: 'null', confirm: 'none' } },
  { path: 'prompt', reads: { input: 'none' } },
  {
    path: 'ui',
    reads: {
      getDrawerTabs: 'list',
      getSettingsTabs: 'list',
      openDrawerTab: 'null',
      closeDrawer: 'null',
      openSettings: 'null',
      closeSettings: 'null',
      openCommandPalette: 'null',
      closeCommandPalette: 'null',
    },
  },
  { path: 'toast', sends: 'success warning error info' },
  { path: 'promptRegex', sends: 'setOwnedChats' },
];

/** All members of `spindle` that only send a request to the host. */
export const surface: readonly SurfaceGroup[] = [
  ...contentSurface,
  ...memorySurface,
  ...appSurface,
];
