import type { Json } from '../../wire/messages.js';
import type { DialectWorld } from '../dialect.js';
import { type Callback, isCallback } from './callbacks.js';
import type { HostCalls } from './host-calls.js';
import type { Mutations } from './mutations.js';
import { readField } from './read-field.js';
import { SPINDLE_LIMITS } from './limits.js';

/** The macros that an extension has registered (Spindle macros). */
export interface Macros {
  readonly registerMacro: (definition: unknown) => void;
  readonly unregisterMacro: (name: unknown) => void;
  readonly updateMacroValue: (name: unknown, value: unknown) => void;
  /** `spindle.macros.resolve(template, options)`. */
  readonly resolve: (template: unknown, options?: unknown) => Promise<unknown>;
  /** The text of one macro: the value last pushed, else what its handler gives within 5 s. */
  pull(name: string, context: Json): Promise<string>;
  /** Each definition without its handler, as JSON text. */
  describe(): string;
}

interface Macro {
  readonly text: string;
  readonly handler: Callback | undefined;
  pushed: string | undefined;
}

/** `onChange` is called whenever there are other macros than before. */
export function makeMacros(
  world: DialectWorld,
  calls: HostCalls,
  mutations: Mutations,
  onChange: () => void,
): Macros {
  const macros = new Map<string, Macro>();
  const { powers } = world;

  const run = async (handler: Callback, context: Json): Promise<string> => {
    const answer: unknown = await Reflect.apply(handler, undefined, [context]);
    // oxlint-disable-next-line typescript/no-base-to-string -- as the original words it
    return answer === undefined || answer === null ? '' : String(answer);
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
      const answer = await calls.ask(call, [template, options]);
      return answer === absent
        ? { text: await resolveOwn(textOf(template), options, pull), diagnostics: [] }
        : answer;
    },
    pull,
    describe: () => `[${[...macros.values()].map(({ text }) => text).join(',')}]`,
  };
}

const NAME = /^[a-z0-9_:.-]{1,128}$/;

/** Names that Lumiverse gives a meaning of its own. */
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

/** Where the host has no macros, those that the extension itself registered still mean something. */
async function resolveOwn(
  template: string,
  options: unknown,
  pull: Macros['pull'],
): Promise<string> {
  const context = { commit: readField(options, 'commit') !== false };
  let text = '';
  let at = 0;
  for (const match of template.matchAll(/\{\{([a-z0-9_:.-]{1,128})\}\}/gi)) {
    const [whole, name = ''] = match;
    const value = BUILT_IN.has(name.toLowerCase()) ? '' : await pull(name, context);
    text += template.slice(at, match.index) + (value === '' ? whole : value);
    at = match.index + whole.length;
  }
  return text + template.slice(at);
}

const FIELDS = ['category', 'description', 'returnType', 'args', 'aliases', 'returns'];

function describeMacro(world: DialectWorld, definition: unknown, name: string): string {
  const fields = FIELDS.map((field) => [field, readField(definition, field)]);
  return world.serialize({ name, ...Object.fromEntries(fields) });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
