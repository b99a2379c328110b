import { withCode } from '../../endowments/coded-error.js';
import { STORE_HANDLES } from './api-names.js';
import type { DialectWorld } from '../dialect.js';
import { CredentialResolutionError } from './api-pure.js';

/**
 * The functions of `@vellumai/plugin-api` that need something of the host's. Each uses the host's
 * power of its own name, with the list of its arguments.
 */
const HANDLES = [
  'createLiveVoiceConnection',
  'doesSupportVision',
  'getConfiguredProvider',
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

/** Those whose answer plugins do not wait for: the host is asked before their code runs. */
const FACTS = ['getAssistantName', 'getModelProfiles', 'resolveUserName'];

/** Handles by their names: functions, but for `assistantEventHub`. */
export type PluginApiHandles = Readonly<Record<string, unknown>>;

/** What the host answered before the plugin's code ran, by the power's name. */
export type Facts = ReadonlyMap<string, unknown>;

/** Asks the host for what plugins do not wait for, as far as they may know it. Never rejects. */
export async function gatherFacts(world: DialectWorld): Promise<Facts> {
  const asked = FACTS.filter((name) => world.grant.powers?.includes(name) === true);
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
    resolveCredential,
    // As it was called before: of a key that nobody has it gives nothing.
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

function isUnsupplied(error: unknown): boolean {
  return ['POWER_DENIED', 'POWER_UNAVAILABLE'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  const code: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : '';
}

function unsupplied(name: string, code: string): Error {
  // A plain Error: the plugin gets hold of it.
  return withCode(
    new Error(
      `${name} of @vellumai/plugin-api needs something that this host does not supply. To allow it, the host has to define a power named ${JSON.stringify(name)} and grant it to this plugin.`,
    ),
    code,
  );
}

/** Plugin code may change or freeze what it is given. */
function copyOf(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
