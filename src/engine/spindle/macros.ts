import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isBulkheadError } from '../../errors.js';
import type { RegisteredMacro } from '../../plugin/registrations.js';
import { concerns, type Extension } from './extension.js';

/** A macro, and who has it. */
export interface ExtensionMacro extends RegisteredMacro {
  readonly plugin: string;
}

export interface MacroOptions {
  /** What the handler is told: `commit: false` where nothing may come of it but text. */
  readonly context?: JsonObject;
  readonly userId?: string;
  readonly signal?: AbortSignal;
}

/** A handler has 5 seconds, which its own guest counts; this is for a guest that does not. */
const PULL_MS = 6_000;

/** Macros in one template. Stops a text that is nothing but macros. */
const MAX_MACROS = 1_000;

/** The macros of all extensions. Of several with one name the first extension's counts. */
export function listMacros(extensions: readonly Extension[]): readonly ExtensionMacro[] {
  const macros = new Map<string, ExtensionMacro>();
  for (const { id, registrations } of extensions) {
    for (const macro of registrations.macros) {
      if (!macros.has(macro.name)) macros.set(macro.name, { ...macro, plugin: id });
    }
  }
  return [...macros.values()];
}

/**
 * Puts the texts of extensions' macros into a template, each asked once. What is nobody's macro stays
 * as it is, and what a macro gives is text: no macro in it is looked up.
 */
export async function resolveMacros(
  extensions: readonly Extension[],
  template: string,
  { context = {}, userId, signal }: MacroOptions,
): Promise<string> {
  const known = new Map(
    listMacros(extensions.filter((extension) => concerns(extension, userId))).map((macro) => [
      macro.name,
      macro,
    ]),
  );
  const texts = new Map<string, string>();
  const parts: string[] = [];
  let at = 0;
  for (const match of [...template.matchAll(MACRO)].slice(0, MAX_MACROS)) {
    const [whole, written = ''] = match;
    const name = written.toLowerCase();
    const owner = extensions.find(({ id }) => id === known.get(name)?.plugin);
    if (owner === undefined) continue;
    signal?.throwIfAborted();
    const text = texts.get(name) ?? (await pull(owner, name, context, { userId, signal }));
    texts.set(name, text);
    parts.push(template.slice(at, match.index), text);
    at = match.index + whole.length;
  }
  return parts.join('') + template.slice(at);
}

const MACRO = /\{\{([a-z0-9_:.-]{1,128})\}\}/gi;

async function pull(
  extension: Extension,
  name: string,
  context: JsonObject,
  options: { readonly userId: string | undefined; readonly signal: AbortSignal | undefined },
): Promise<string> {
  try {
    const payload = { name, context: { commit: true, ...context } };
    const text = await extension.tell('spindle:macro', payload, { timeoutMs: PULL_MS, ...options });
    return typeof text === 'string' ? text : '';
  } catch (error) {
    options.signal?.throwIfAborted();
    const late = isBulkheadError(error, 'DEADLINE_EXCEEDED');
    return `[Spindle:${extension.id}] Macro ${late ? 'timeout' : 'failed'}`;
  }
}
