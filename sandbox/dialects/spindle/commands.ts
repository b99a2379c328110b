import type { Json } from '../../wire/messages.js';
import type { DialectWorld } from '../dialect.js';
import type { Listeners } from './callbacks.js';
import type { Mutations } from './permissions.js';
import { readField, strict } from './strict.js';
import { SPINDLE_LIMITS } from './limits.js';
import type { HostCalls } from './host-calls.js';
import { makeProcesses } from './processes.js';

/** The extension's entries in the command palette (Spindle commands). */
interface Commands {
  /** `spindle.commands`. */
  readonly api: object;
  /** All commands as JSON text. */
  describe(): string;
}

/** `onChange` is called after each change of the commands. */
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
        const copy: Json = JSON.parse(
          world.serialize(list, { subject: 'The list of spindle.commands.register' }),
        );
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

/** Messages to and from the extension's own page, which runs in a browser. */
export function makeFrontend(
  calls: HostCalls,
  listeners: Listeners,
): {
  readonly sendToFrontend: (...args: unknown[]) => void;
  readonly onFrontendMessage: unknown;
  readonly frontendProcesses: object;
  readonly frontendCapabilities: object;
} {
  return {
    sendToFrontend: (...args: unknown[]): void =>
      calls.send({ name: 'spindle.sendToFrontend' }, args),
    onFrontendMessage: listeners.adder('frontendMessage', 'spindle.onFrontendMessage'),
    frontendProcesses: makeProcesses('frontendProcesses', calls, listeners),
    frontendCapabilities: strict('spindle.frontendCapabilities', {
      declare: (capability: unknown): (() => void) => {
        if (capability !== 'message_tag_interceptor') {
          throw new Error(`Unsupported frontend runtime capability: ${String(capability)}`);
        }
        calls.send({ name: 'spindle.frontendCapabilities.declare' }, [capability]);
        return () => undefined;
      },
    }),
  };
}
