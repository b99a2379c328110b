import type { Json } from '../../wire/messages.js';
import type { DialectWorld } from '../dialect.js';
import type { Listeners } from './listeners.js';
import type { Mutations } from './mutations.js';
import { readField } from './read-field.js';
import { strict } from './strict.js';
import { SPINDLE_LIMITS } from './limits.js';

/** The extension's entries in the command palette (Spindle commands). */
export interface Commands {
  /** `spindle.commands`. */
  readonly api: object;
  /** Every command, as JSON text. */
  describe(): string;
}

/** `onChange` is called whenever there are other commands than before. */
export function makeCommands(
  world: DialectWorld,
  listeners: Listeners,
  mutations: Mutations,
  onChange: () => void,
): Commands {
  let commands: readonly Json[] = [];
  return {
    describe: () => JSON.stringify(commands),
    api: strict('spindle.commands', {
      register: (list: unknown): void => {
        mutations.allow('spindle.commands.register');
        const copy: Json = JSON.parse(world.serialize(list));
        const all: readonly Json[] = Array.isArray(copy) ? copy : [];
        if (all.length > SPINDLE_LIMITS.maxCommands) {
          world.log('warn', [
            `commands.register: those after ${SPINDLE_LIMITS.maxCommands} are left out`,
          ]);
        }
        commands = all.slice(0, SPINDLE_LIMITS.maxCommands);
        onChange();
      },
      unregister: (ids?: unknown): void => {
        mutations.allow('spindle.commands.unregister');
        const gone: readonly unknown[] | undefined =
          Array.isArray(ids) && ids.length > 0 ? ids : undefined;
        commands = commands.filter(
          (command) => !(gone?.includes(readField(command, 'id')) ?? true),
        );
        onChange();
      },
      onInvoked: listeners.adder('command', 'spindle.commands.onInvoked'),
    }),
  };
}
