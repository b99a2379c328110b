import { CredentialResolutionError, pureApi } from './api-pure.js';
import { withCode } from '../../endowments/errors.js';
import { isRecord } from '../../wire/json.js';
import type { DialectWorld } from '../dialect.js';

/** The module from which Vellum's plugins import their constants and the host's handles. */
export const PLUGIN_API = '@vellumai/plugin-api';

/**
 * The exports of `@vellumai/plugin-api`: constants, pure functions, and the host's handles. Every
 * name exists. A handle that the host does not supply throws on use, and names the missing power.
 */
export function makePluginApi(handles: PluginApiHandles): object {
  return { ...pureApi, ...handles };
}

/** Handles for the host's stores: embeddings, documents and conversations. */
const STORE_HANDLES: readonly string[] = [
  'addMessage',
  'deleteConversation',
  'embed',
  'embedAndUpsert',
  'generateSparseEmbedding',
  'getConversation',
  'getConversationDirPath',
  'getConversationProcessingStartedAt',
  'getDocument',
  'getMessages',
  'indexDocument',
  'isConversationProcessing',
  'listConversations',
  'queryIndex',
  'removeDocument',
  'searchMessageIdsLexical',
  'selectedBackendSupportsMultimodal',
  'sweepOrphanedGraphNodePoints',
  'syncMessageToDisk',
  'updateMessageMetadata',
];

/**
 * The functions of `@vellumai/plugin-api` that need the host. Each uses the host's power of the
 * same name with its list of arguments.
 */
const HANDLES = [
  'createLiveVoiceConnection',
  'listCatalogSkills',
  'listInstalledSkills',
  'openTranscriptionSession',
  'persistSystemCard',
  'publishEvent',
  'registerPlugin',
  'resolveMediaSourceData',
  'resolveOauthCallbackUrl',
  'resolveWebhookUrl',
  'runConversationTurn',
  'storeCredential',
  'synthesizeText',
  ...STORE_HANDLES,
];

/** Synchronous functions. The guest requests their answers before the plugin's code runs. */
const FACTS = ['getAssistantName', 'getModelProfiles', 'resolveUserName'];

/** A fact with an argument: see `supportsVision`. */
const VISION = 'doesSupportVision';

/** Handles by name. All are functions except `assistantEventHub`. */
type PluginApiHandles = Readonly<Record<string, unknown>>;

/** The host's answers from before the plugin's code ran, by the power's name. */
export type Facts = ReadonlyMap<string, unknown>;

/** Requests the granted facts from the host. Never rejects. */
export async function gatherFacts(world: DialectWorld): Promise<Facts> {
  const asked = [...FACTS, VISION].filter((name) => world.grant.powers?.includes(name) === true);
  const answers = await Promise.allSettled(asked.map((name) => world.usePower(name, [])));
  return new Map(
    answers.flatMap((answer, index): [string, unknown][] => {
      const name = asked[index];
      return name === undefined || answer.status === 'rejected' ? [] : [[name, answer.value]];
    }),
  );
}

export function makeHandles(world: DialectWorld, facts: Facts): PluginApiHandles {
  const use = async (name: string, args: readonly unknown[]): Promise<unknown> => {
    try {
      return await world.usePower(name, args);
    } catch (error) {
      throw isUnsupplied(error) ? unsupplied(name, codeOf(error)) : error;
    }
  };
  const waiting = (name: string): [string, unknown] => [
    name,
    (...args: unknown[]): Promise<unknown> => use(name, args),
  ];
  const knowing = (name: string): [string, unknown] => [
    name,
    (): unknown => {
      if (!facts.has(name)) throw unsupplied(name, 'POWER_UNAVAILABLE');
      return copyOf(facts.get(name));
    },
  ];
  const resolveCredential = async (ref: unknown): Promise<unknown> => {
    try {
      return await use('resolveCredential', [ref]);
    } catch (error) {
      throw new CredentialResolutionError(error instanceof Error ? error.message : String(error));
    }
  };
  return {
    ...Object.fromEntries([...HANDLES.map(waiting), ...FACTS.map(knowing)]),
    getConfiguredProvider: async (...args: unknown[]): Promise<unknown> => {
      const provider = await use('getConfiguredProvider', args);
      if (!isRecord(provider)) return null;
      const named = args[0] ?? null;
      return {
        ...provider,
        sendMessage: (messages: unknown, options: unknown): Promise<unknown> =>
          use(SEND_MESSAGE, [named, messages, withoutFunctions(options), provider]),
      };
    },
    doesSupportVision: (profile: unknown): boolean => {
      if (!facts.has(VISION)) throw unsupplied(VISION, 'POWER_UNAVAILABLE');
      return supportsVision(facts.get(VISION), profile);
    },
    resolveCredential,
    // As in earlier versions: `undefined` for an unknown key.
    getSecureKeyAsync: (key: unknown): Promise<unknown> =>
      resolveCredential(key).catch(() => undefined),
    getWorkspaceDir: (): string => '/workspace',
    assistantEventHub: {
      publish: (...args: unknown[]): Promise<unknown> => use('assistantEventHub.publish', args),
      subscribe: (): never => {
        throw unsupplied('assistantEventHub.subscribe', 'POWER_UNAVAILABLE');
      },
    },
  };
}

/** The power behind the method of a provider. Its first argument is the provider's name. */
const SEND_MESSAGE = 'getConfiguredProvider.sendMessage';

/** Options as data: a signal or a listener cannot cross. */
function withoutFunctions(options: unknown): unknown {
  if (!isRecord(options)) return {};
  return Object.fromEntries(
    Object.entries(options).filter(
      ([key, value]) => key !== 'signal' && typeof value !== 'function',
    ),
  );
}

/**
 * Whether a model can see images. The host's answer is for every profile, or lists the names of those
 * that can.
 */
function supportsVision(answer: unknown, profile: unknown): boolean {
  if (!Array.isArray(answer)) return answer === true;
  const { name, key, id, model } = isRecord(profile) ? profile : { name: profile };
  return [name, key, id, model].some((one) => typeof one === 'string' && answer.includes(one));
}

function isUnsupplied(error: unknown): boolean {
  return ['POWER_DENIED', 'POWER_UNAVAILABLE'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  const code: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : '';
}

function unsupplied(name: string, code: string): Error {
  // A plain Error, because the plugin sees it.
  return withCode(
    new Error(
      `${name} of @vellumai/plugin-api needs something that this host does not supply. To allow it, the host has to define a power named ${JSON.stringify(name)} and grant it to this plugin.`,
    ),
    code,
  );
}

/** A copy, because plugin code may change or freeze it. */
function copyOf(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
