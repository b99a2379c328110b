import type { Json, JsonObject } from '../../../../sandbox/wire/messages.js';
import { BulkheadError } from '../../../errors.js';
import type { Registrations } from '../../../plugin/tool.js';
import { intercept, type Intercepted, type Interception } from './chains.js';
import {
  type ContextChain,
  type ContextHandled,
  type ContextHook,
  handleContext,
} from './context-chains.js';
import { type EmitOptions, makeEmit } from './events.js';
import { isRecord } from '../../../../sandbox/wire/json.js';
import { concerns, type Extension } from './extension.js';
import { type ExtensionMacro, listMacros, type MacroOptions, resolveMacros } from './macros.js';

/** The host's operations on Spindle extensions, in addition to tool calls. */
export interface SpindleHost {
  /**
   * Sends an event to the extensions that subscribed to it and may run in the background. Returns
   * their ids at once. Throws `INVALID_OPTIONS` for a reserved name.
   */
  emit(event: string, payload: Json, options?: EmitOptions): readonly string[];
  /** Runs the interceptors on a generation. Rejects only with the signal's reason. */
  intercept(interception: Interception): Promise<Intercepted>;
  /** Runs the context handlers, or the handlers of another kind, on a context. */
  handleContext(chain: ContextChain, kind?: ContextHook): Promise<ContextHandled>;
  macros(): readonly ExtensionMacro[];
  /** Replaces extensions' macros in a template by their texts. */
  resolveMacros(template: string, options?: MacroOptions): Promise<string>;
  /** Each extension's registrations other than tools: commands, endpoints, events … */
  registrations(): Readonly<Record<string, Registrations>>;
  /**
   * Sends an extension a message from its page in the browser. Resolves when its handlers have it,
   * which may run on for up to 5 minutes. Rejects if it is not delivered: `INVALID_OPTIONS` if the
   * extension is installed for another user.
   */
  frontendMessage(plugin: string, payload: Json, options?: MessageOptions): Promise<void>;
  /** Sends an extension the command that its user chose. Rejects as `frontendMessage`. */
  invokeCommand(
    plugin: string,
    commandId: string,
    context?: JsonObject,
    options?: MessageOptions,
  ): Promise<void>;
  /**
   * Passes the parameters of an OAuth redirect to an extension, which has 30 s. Resolves with the
   * page that it wants to show. Rejects if it has no callback handler.
   */
  oauthCallback(
    plugin: string,
    params: JsonObject,
    options?: MessageOptions,
  ): Promise<{ readonly html?: string }>;
  /** Uses a service that an extension registered. Rejects if it is missing or fails. */
  invokeProvider(
    plugin: string,
    provider: ProviderRequest,
    options?: MessageOptions & { readonly timeoutMs?: number },
  ): Promise<Json>;
  /**
   * Sends an extension news of a process that the host runs for it, or of the host's providers.
   * Rejects as `frontendMessage`.
   */
  processEvent(
    plugin: string,
    kind: ProcessEventKind,
    event: Json,
    options?: MessageOptions,
  ): Promise<void>;
}

export interface ProviderRequest {
  /** `embedding`, `tts`, `stt`, `sidecar`, or the kind that the extension chose. */
  readonly kind: string;
  readonly id: string;
  readonly request: Json;
}

export type ProcessEventKind =
  | 'frontendProcesses.lifecycle'
  | 'frontendProcesses.message'
  | 'backendProcesses.lifecycle'
  | 'backendProcesses.message'
  | 'providersChanged';

export interface MessageOptions {
  readonly userId?: string;
  readonly signal?: AbortSignal;
}

/** Milliseconds in which an extension must pass a message to its handlers. */
const MESSAGE_MS = 5_000;

const OAUTH_MS = 30_000;

/** Default. Speech and embeddings take seconds. */
const PROVIDER_MS = 60_000;

/**
 * Milliseconds in which the handlers of a message keep their extension awake. Stops a handler that
 * never ends from running in the background.
 */
const HANDLER_MS = 300_000;

export function makeSpindleHost(
  extensions: () => readonly Extension[],
  warn: (extension: string, message: string) => void,
): SpindleHost {
  const find = (plugin: string): Extension => {
    const extension = extensions().find(({ id }) => id === plugin);
    if (extension !== undefined) return extension;
    throw new BulkheadError(
      'INVALID_OPTIONS',
      `No extension ${plugin} is running. Start it, or check its id.`,
      {
        option: 'plugin',
      },
    );
  };
  const ask = (
    plugin: string,
    name: string,
    payload: Json,
    { userId, signal, timeoutMs }: MessageOptions & { readonly timeoutMs: number },
  ): Promise<Json> => {
    const extension = find(plugin);
    // guard: spindle-message-for-its-user
    if (!concerns(extension, userId)) throw notItsUser(plugin);
    return extension.send(name, payload, { timeoutMs, signal, userId });
  };
  const send = async (
    plugin: string,
    name: string,
    payload: Json,
    options: MessageOptions,
  ): Promise<void> => {
    await ask(plugin, name, payload, { ...options, timeoutMs: MESSAGE_MS });
    const extension = find(plugin);
    // An open request keeps the guest awake until the handlers have ended.
    if (!extension.isRunning) return;
    extension.send('spindle:settled', null, { timeoutMs: HANDLER_MS }).catch(() => undefined);
  };
  return {
    emit: makeEmit(extensions, warn),
    intercept: (interception) => intercept(extensions(), interception),
    handleContext: (chain, kind = 'contextHandler') => handleContext(extensions(), kind, chain),
    macros: () => listMacros(extensions()),
    resolveMacros: (template, options = {}) => resolveMacros(extensions(), template, options),
    registrations: () =>
      Object.fromEntries(extensions().map(({ id, registrations }) => [id, registrations])),
    frontendMessage: (plugin, payload, options = {}) => {
      const { userId } = options;
      const message = { payload, ...(userId === undefined ? {} : { userId }) };
      return send(plugin, 'spindle:frontendMessage', message, options);
    },
    invokeCommand: (plugin, commandId, context = {}, options = {}) =>
      send(plugin, 'spindle:command', { commandId, context }, options),
    oauthCallback: async (plugin, params, options = {}) => {
      const answer = await ask(
        plugin,
        'spindle:oauth',
        { params },
        { ...options, timeoutMs: OAUTH_MS },
      );
      const html: unknown = isRecord(answer) ? answer['html'] : undefined;
      return typeof html === 'string' ? { html } : {};
    },
    invokeProvider: async (plugin, { kind, id, request }, options = {}) =>
      ask(
        plugin,
        'spindle:provider',
        { kind, id, request },
        { timeoutMs: PROVIDER_MS, ...options },
      ),
    processEvent: (plugin, kind, event, options = {}) =>
      send(plugin, `spindle:${kind}`, { event }, options),
  };
}

function notItsUser(plugin: string): BulkheadError {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `${plugin} is installed for another user, so this message was not sent. Change config[${JSON.stringify(plugin)}].installedFor, or send the message to the extension of that user.`,
    { option: 'userId' },
  );
}
