import type { SurfaceGroup } from './surface-group.js';

/** What a person sees of Lumiverse, and what reaches them. */
export const appSurface: readonly SurfaceGroup[] = [
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
  { path: 'toast', tells: 'success warning error info' },
  { path: 'promptRegex', tells: 'setOwnedChats' },
];
