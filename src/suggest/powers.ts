import type { SuggestedKind } from './suggestion.js';

/** The power of the host that a function of `@vellumai/plugin-api` uses; `undefined` where it uses none. */
export function powerOfMember(name: string): string | undefined {
  if (CREDENTIALS.has(name)) return 'credentials';
  return HANDLES.has(name) ? name : undefined;
}

const CREDENTIALS: ReadonlySet<string> = new Set([
  'resolveCredential',
  'storeCredential',
  'getSecureKeyAsync',
]);

const HANDLES: ReadonlySet<string> = new Set(
  [
    'createLiveVoiceConnection doesSupportVision getAssistantName getConfiguredProvider',
    'getModelProfiles listCatalogSkills listInstalledSkills openTranscriptionSession',
    'persistSystemCard publishEvent resolveMediaSourceData resolveOauthCallbackUrl',
    'resolveUserName resolveWebhookUrl runConversationTurn synthesizeText',
  ]
    .join(' ')
    .split(' '),
);

/** What a member of Spindle's `spindle` needs. */
export function spindlePower(
  path: readonly string[],
): readonly { readonly permission: SuggestedKind; readonly scope: string; readonly why: string }[] {
  const [first = ''] = path;
  const why = `spindle.${path.slice(0, 2).join('.')}`;
  if (STORAGE.has(first)) return [{ permission: 'storage', scope: 'true', why }];
  const power = POWERS[first];
  return power === undefined ? [] : [{ permission: 'powers', scope: power, why }];
}

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
