import type { SurfaceGroup } from './surface-group.js';

const CRUD = { list: 'page', get: 'null' } as const;

/** Characters, chats, presets, books and what else a person has in Lumiverse. */
export const contentSurface: readonly SurfaceGroup[] = [
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
  { path: 'dlc', reads: { getCatalog: 'null' } },
];
