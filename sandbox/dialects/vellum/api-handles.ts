import { withCode } from '../../endowments/coded-error.js';
import { STORE_HANDLES } from './api-names.js';

/** The functions of `@vellumai/plugin-api` that need something of the host's. */
const HANDLES = [
  'createLiveVoiceConnection',
  'doesSupportVision',
  'getAssistantName',
  'getConfiguredProvider',
  'getModelProfiles',
  'getSecureKeyAsync',
  'getWorkspaceDir',
  'listCatalogSkills',
  'listInstalledSkills',
  'openTranscriptionSession',
  'persistSystemCard',
  'publishEvent',
  'registerPlugin',
  'resolveCredential',
  'resolveMediaSourceData',
  'resolveOauthCallbackUrl',
  'resolveUserName',
  'resolveWebhookUrl',
  'runConversationTurn',
  'storeCredential',
  'synthesizeText',
  ...STORE_HANDLES,
];

/** Handles by their names: functions, but for `assistantEventHub`. */
export type PluginApiHandles = Readonly<Record<string, unknown>>;

/** A stand-in for each handle. */
export function unsuppliedHandles(): PluginApiHandles {
  return {
    ...Object.fromEntries(HANDLES.map((name) => [name, unsupplied(name)])),
    assistantEventHub: {
      publish: unsupplied('assistantEventHub.publish'),
      subscribe: unsupplied('assistantEventHub.subscribe'),
    },
  };
}

function unsupplied(name: string): () => never {
  return () => {
    // A plain Error: the plugin gets hold of it.
    throw withCode(
      new Error(
        `${name} of @vellumai/plugin-api needs something that this host does not supply. To allow it, the host has to define a power named ${JSON.stringify(name)} and grant it to this plugin.`,
      ),
      'BUILTIN_DENIED',
    );
  };
}
