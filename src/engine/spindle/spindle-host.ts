import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { BulkheadError } from '../../errors.js';
import type { Registrations } from '../../plugin/registrations.js';
import {
  type ContextChain,
  type ContextHandled,
  type ContextHook,
  handleContext,
} from './context-handlers.js';
import { type EmitOptions, makeEmit } from './emit.js';
import type { Extension } from './extension.js';
import { intercept, type Intercepted, type Interception } from './interceptors.js';
import { type ExtensionMacro, listMacros, type MacroOptions, resolveMacros } from './macros.js';

/** What a host of Spindle extensions does with them besides calling their tools. */
export interface SpindleHost {
  /**
   * Tells the extensions of an event, those that subscribed to it and may run in the background.
   * Answers the ids of who was told, at once. Throws `INVALID_OPTIONS` for a name that is no event.
   */
  emit(event: string, payload: Json, options?: EmitOptions): readonly string[];
  /** Lets interceptors change a generation. Rejects with the signal's reason, and for nothing else. */
  intercept(interception: Interception): Promise<Intercepted>;
  /** Lets context handlers, or handlers of another kind, change a context. */
  handleContext(chain: ContextChain, kind?: ContextHook): Promise<ContextHandled>;
  macros(): readonly ExtensionMacro[];
  /** Puts the texts of extensions' macros into a template. */
  resolveMacros(template: string, options?: MacroOptions): Promise<string>;
  /** What each extension has registered besides tools: commands, endpoints, events … */
  registrations(): Readonly<Record<string, Registrations>>;
  /** Hands an extension what its page in the browser sent. Rejects where it cannot take it. */
  frontendMessage(plugin: string, payload: Json, options?: MessageOptions): Promise<void>;
  /** Tells an extension that somebody chose one of its commands. */
  invokeCommand(
    plugin: string,
    commandId: string,
    context?: JsonObject,
    options?: MessageOptions,
  ): Promise<void>;
}

export interface MessageOptions {
  readonly userId?: string;
  readonly signal?: AbortSignal;
}

/** How long an extension may take to hand something to its handlers, for which nobody waits. */
const MESSAGE_MS = 5_000;

export function makeSpindleHost(extensions: () => readonly Extension[]): SpindleHost {
  const find = (plugin: string): Extension => {
    const extension = extensions().find(({ id }) => id === plugin);
    if (extension !== undefined) return extension;
    throw new BulkheadError('INVALID_OPTIONS', `There is no extension ${plugin} that runs.`, {
      option: 'plugin',
    });
  };
  const hand = async (
    plugin: string,
    name: string,
    payload: Json,
    { userId, signal }: MessageOptions,
  ): Promise<void> => {
    await find(plugin).tell(name, payload, { timeoutMs: MESSAGE_MS, signal, userId });
  };
  return {
    emit: makeEmit(extensions),
    intercept: (interception) => intercept(extensions(), interception),
    handleContext: (chain, kind = 'contextHandler') => handleContext(extensions(), kind, chain),
    macros: () => listMacros(extensions()),
    resolveMacros: (template, options = {}) => resolveMacros(extensions(), template, options),
    registrations: () =>
      Object.fromEntries(extensions().map(({ id, registrations }) => [id, registrations])),
    frontendMessage: (plugin, payload, options = {}) => {
      const { userId } = options;
      const told = { payload, ...(userId === undefined ? {} : { userId }) };
      return hand(plugin, 'spindle:frontendMessage', told, options);
    },
    invokeCommand: (plugin, commandId, context = {}, options = {}) =>
      hand(plugin, 'spindle:command', { commandId, context }, options),
  };
}
