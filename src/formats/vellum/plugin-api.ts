import type { PluginInterface } from '../format.js';
import { PLUGIN_API } from './package.js';

/** The module that Vellum's plugins import, and the powers that its functions use. */
export const pluginApi: PluginInterface = {
  kind: 'module',
  name: PLUGIN_API,
  needs: ([name = '']) => {
    const scope = CREDENTIALS.has(name) ? 'credentials' : HANDLES.has(name) ? name : undefined;
    return scope === undefined ? undefined : { permission: 'powers', scope };
  },
};

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
