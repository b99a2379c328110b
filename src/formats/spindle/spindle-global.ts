import { SPINDLE_POWERS } from '#spindle-host';
import type { PluginInterface } from '../format.js';

/** The global `spindle`, and the permissions that its members need. */
export const spindleGlobal: PluginInterface = {
  kind: 'global',
  name: 'spindle',
  requests: ['cors'],
  needs: ([first = '']) => {
    if (STORAGE.has(first)) return { permission: 'storage', scope: 'true' };
    const scope = POWERS[first];
    return scope === undefined ? undefined : { permission: 'powers', scope };
  },
  powerOf: (path) => {
    const names = path.map((_, index) => ['spindle', ...path.slice(0, index + 1)].join('.'));
    const name = names.findLast((one) => Object.hasOwn(HOST_POWERS, one));
    return name === undefined ? undefined : { name, permission: HOST_POWERS[name] ?? '' };
  },
};

const HOST_POWERS: Readonly<Record<string, string>> = SPINDLE_POWERS;

const STORAGE: ReadonlySet<string> = new Set(['storage', 'userStorage', 'enclave']);

const POWERS: Readonly<Record<string, string>> = {
  registerTool: 'tools',
  generate: 'generation',
  assemble: 'generation',
  connections: 'generation',
  registerWorldInfoInterceptor: 'generation',
  registerInterceptor: 'interceptor',
  registerContextHandler: 'context_handler',
  registerMacroInterceptor: 'macro_interceptor',
  registerMessageContentProcessor: 'chat_mutation',
  chat: 'chat_mutation',
  ephemeral: 'ephemeral_storage',
  cors: 'cors_proxy',
  characters: 'characters',
  chats: 'chats',
  personas: 'personas',
  world_books: 'world_books',
  regex_scripts: 'regex_scripts',
  databanks: 'databanks',
  presets: 'presets',
  memories: 'memories',
  images: 'images',
  media: 'media',
  imageGen: 'image_gen',
  webSearch: 'web_search',
  push: 'push_notification',
  events: 'event_tracking',
  oauth: 'oauth',
  theme: 'app_manipulation',
  color: 'app_manipulation',
};
