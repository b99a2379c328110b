import type { JsonObject } from '../../../../sandbox/wire/messages.js';
import { parseTemplate } from '../../../../sandbox/wire/template.js';
import { isBulkheadError } from '../../../errors.js';
import type { RegisteredMacro } from '../../../plugin/tool.js';
import { concerns, type Extension } from './extension.js';

/** A macro and the extension that registered it. */
export interface ExtensionMacro extends RegisteredMacro {
  readonly plugin: string;
}

export interface MacroOptions {
  /** Passed to the handler. `commit: false`: the handler may change nothing. */
  readonly context?: JsonObject;
  readonly userId?: string;
  readonly signal?: AbortSignal;
}

/** Milliseconds. A guest stops a handler after 5 s. This stops a guest that does not. */
const PULL_MS = 6_000;

/** Macros in one template. Stops a text that consists of macros. */
const MAX_MACROS = 1_000;

/** The macros of all extensions. If several have one name, the first extension's counts. */
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
 * Replaces extensions' macros in a template by their texts. A macro with the same arguments is
 * requested once. Macros in arguments are resolved first. Unknown macros stay unchanged. Macros in
 * the text of a macro are not resolved.
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
  let used = 0;
  const resolve = async (text: string): Promise<string> => {
    const parts: string[] = [];
    for (const piece of parseTemplate(text)) {
      const owner =
        typeof piece === 'string'
          ? undefined
          : extensions.find(({ id }) => id === known.get(piece.name)?.plugin);
      if (typeof piece === 'string' || owner === undefined || used >= MAX_MACROS) {
        parts.push(typeof piece === 'string' ? piece : piece.source);
        continue;
      }
      used += 1;
      const args: string[] = [];
      for (const arg of piece.args) args.push(await resolve(arg));
      const { name, offset } = piece;
      const key = JSON.stringify([name, ...args]);
      signal?.throwIfAborted();
      const value =
        texts.get(key) ??
        (await pull(owner, { name, args, offset, ...MACRO_CALL, ...context }, { userId, signal }));
      texts.set(key, value);
      parts.push(value);
    }
    return parts.join('');
  };
  return resolve(template);
}

/** Further arguments of Lumiverse: its templates may also have flags and bodies. */
const MACRO_CALL: JsonObject = {
  flags: {},
  commit: true,
  isScoped: false,
  body: '',
  globalOffset: 0,
};

async function pull(
  extension: Extension,
  context: JsonObject & { readonly name: string },
  options: { readonly userId: string | undefined; readonly signal: AbortSignal | undefined },
): Promise<string> {
  try {
    const payload = { name: context.name, context };
    const text = await extension.send('spindle:macro', payload, { timeoutMs: PULL_MS, ...options });
    return typeof text === 'string' ? text : '';
  } catch (error) {
    options.signal?.throwIfAborted();
    const isLate = isBulkheadError(error, 'DEADLINE_EXCEEDED');
    return isLate ? `[Spindle:${extension.id}] Macro timeout` : '';
  }
}
