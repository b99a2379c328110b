import type { Json } from '../../wire/messages.js';
import { parseTemplate } from '../../wire/template.js';
import type { DialectWorld } from '../dialect.js';
import { type Callback, isCallback } from './callbacks.js';
import type { HostCalls } from './host-calls.js';
import type { Mutations } from './permissions.js';
import { readField } from './strict.js';
import { SPINDLE_LIMITS } from './limits.js';

/** The macros that an extension has registered (Spindle macros). */
export interface Macros {
  readonly registerMacro: (definition: unknown) => void;
  readonly unregisterMacro: (name: unknown) => void;
  readonly updateMacroValue: (name: unknown, value: unknown) => void;
  /** `spindle.macros.resolve(template, options)`. */
  readonly resolve: (template: unknown, options?: unknown) => Promise<unknown>;
  /**
   * The text of one macro: the last pushed value, else the handler's answer within 5 s. Empty if the
   * handler fails (logged).
   */
  pull(name: string, context: Json): Promise<string>;
  /** Each definition without its handler, as JSON text. */
  describe(): string;
}

interface Macro {
  readonly text: string;
  readonly handler: Callback | undefined;
  pushed: string | undefined;
}

/** `onChange` is called after each change of the macros. */
export function makeMacros(
  world: DialectWorld,
  calls: HostCalls,
  mutations: Mutations,
  onChange: () => void,
): Macros {
  const macros = new Map<string, Macro>();
  const { powers } = world;

  const run = async (handler: Callback, context: Json): Promise<string> => {
    try {
      const answer: unknown = await Reflect.apply(handler, undefined, [context]);
      // oxlint-disable-next-line typescript/no-base-to-string -- as the original words it
      return answer === undefined || answer === null ? '' : String(answer);
    } catch (error) {
      world.log('error', ['registerMacro:', error]);
      return '';
    }
  };
  const pull: Macros['pull'] = async (name, context) => {
    const macro = macros.get(name.toLowerCase());
    if (macro?.pushed !== undefined) return macro.pushed;
    const { handler } = macro ?? {};
    if (handler === undefined) return '';
    const commits = readField(context, 'commit') !== false;
    const running = commits
      ? run(handler, context)
      : mutations.refuseDuring(() => run(handler, context));
    return orTimeout(world, running, `[Spindle:${powers.plugin.id}] Macro timeout`);
  };

  return {
    registerMacro: (definition) => {
      mutations.allow('spindle.registerMacro');
      const name = textOf(readField(definition, 'name')).toLowerCase();
      const handler: unknown = readField(definition, 'handler');
      if (typeof handler === 'string' && handler.trim() !== '') {
        world.log('error', [`The macro "${name}" has text for a handler, and is not registered`]);
        return;
      }
      if (!NAME.test(name) || BUILT_IN.has(name)) {
        world.log('error', [`The macro "${name}" is not registered: its name cannot be one`]);
        return;
      }
      if (macros.size >= SPINDLE_LIMITS.maxMacros && !macros.has(name)) {
        world.log('error', [
          `The macro "${name}" is not registered: more than ${SPINDLE_LIMITS.maxMacros}`,
        ]);
        return;
      }
      macros.set(name, {
        text: describeMacro(world, definition, name),
        handler: isCallback(handler) ? handler : undefined,
        pushed: undefined,
      });
      onChange();
    },
    unregisterMacro: (name) => {
      mutations.allow('spindle.unregisterMacro');
      if (macros.delete(textOf(name).toLowerCase())) onChange();
    },
    updateMacroValue: (name, value) => {
      mutations.allow('spindle.updateMacroValue');
      const macro = macros.get(textOf(name).toLowerCase());
      // oxlint-disable-next-line typescript/no-base-to-string -- as the original words it
      if (macro !== undefined) macro.pushed = String(value ?? '');
    },
    resolve: async (template, options) => {
      const absent = '\u0000absent';
      const call = { name: 'spindle.macros.resolve', otherwise: () => absent };
      const answer = await calls.request(call, [template, options]);
      return answer === absent
        ? {
            text: await resolveOwn(textOf(template), options, pull, (name) => macros.has(name)),
            diagnostics: [],
          }
        : answer;
    },
    pull,
    describe: () => `[${[...macros.values()].map(({ text }) => text).join(',')}]`,
  };
}

/** Also one mark, e.g. `{{(}}`. */
const NAME = /^(?:[a-z0-9_:.-]{1,128}|[();<>])$/;

/** Names with a meaning in Lumiverse. */
const BUILT_IN: ReadonlySet<string> = new Set(
  (
    'user char persona description personality scenario newline trim time date weekday isotime ' +
    'isodate random pick roll getvar setvar addvar incvar decvar getgvar setgvar getchatvar ' +
    'setchatvar lastmessage lastusermessage lastcharmessage if else each original input memories'
  ).split(' '),
);

function orTimeout(world: DialectWorld, running: Promise<string>, words: string): Promise<string> {
  const { clock } = world.powers;
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => resolve(words), SPINDLE_LIMITS.macroMs);
    running.then(resolve, reject).finally(() => clock.clearTimeout(timer));
  });
}

/** If the host has no macros, the extension's own macros are still resolved. */
async function resolveOwn(
  template: string,
  options: unknown,
  pull: Macros['pull'],
  owns: (name: string) => boolean,
): Promise<string> {
  const commit = readField(options, 'commit') !== false;
  let text = '';
  for (const piece of parseTemplate(template)) {
    if (typeof piece === 'string') {
      text += piece;
      continue;
    }
    const { source, name, offset } = piece;
    const isOwn = !BUILT_IN.has(name) && owns(name);
    const args: string[] = [];
    if (isOwn) for (const arg of piece.args) args.push(await resolveOwn(arg, options, pull, owns));
    text += isOwn ? await pull(name, { name, args, commit, offset }) : source;
  }
  return text;
}

/** Characters of a text about a macro. The host reads no more. */
const MAX_TEXT = 500;

const FIELDS = ['category', 'description', 'returnType', 'args', 'aliases', 'returns'];

function describeMacro(world: DialectWorld, definition: unknown, name: string): string {
  const fields = FIELDS.map((field) => {
    const value = readField(definition, field);
    return [field, typeof value === 'string' ? value.slice(0, MAX_TEXT) : value];
  });
  return world.serialize({ name, ...Object.fromEntries(fields) });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
