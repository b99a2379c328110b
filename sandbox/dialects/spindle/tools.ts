import type { DialectWorld } from '../dialect.js';
import type { Mutations } from './mutations.js';
import type { HeldPermissions } from './permissions.js';
import { SPINDLE_LIMITS } from './limits.js';

/** The tools that an extension has registered, offered while it holds the permission for them. */
export interface Tools {
  readonly registerTool: (tool: unknown) => void;
  readonly unregisterTool: (name: unknown) => void;
  /** Each as `{"tool": …}` or `{"problem": …}`, so that one broken tool hides no other. */
  describe(): string;
}

/** `onChange` is called whenever there are other tools than before. */
export function makeTools(
  world: DialectWorld,
  permissions: HeldPermissions,
  mutations: Mutations,
  onChange: () => void,
): Tools {
  /** Descriptions as JSON text, by name. */
  const registered = new Map<string, string>();

  // What is registered without the permission is kept back: it is there once the permission is, and
  // few extensions register again when they are told.
  permissions.watch(({ permission }) => {
    if (permission === 'tools' && registered.size > 0) onChange();
  });

  return {
    registerTool: (tool) => {
      mutations.allow('spindle.registerTool');
      if (!permissions.has('tools')) permissions.deny('tools', 'registerTool');
      const { name, text } = readTool(tool, world);
      if (!registered.has(name) && registered.size >= SPINDLE_LIMITS.maxTools) {
        world.log('error', [
          `registerTool: more than ${SPINDLE_LIMITS.maxTools} tools; ${name} is left out`,
        ]);
        return;
      }
      if (registered.get(name) === text) return;
      registered.set(name, text);
      onChange();
    },
    unregisterTool: (name) => {
      mutations.allow('spindle.unregisterTool');
      if (typeof name === 'string' && registered.delete(name)) onChange();
    },
    describe: () => `[${permissions.has('tools') ? [...registered.values()].join(',') : ''}]`,
  };
}

const FIELDS = [
  'name',
  'display_name',
  'description',
  'parameters',
  'council_eligible',
  'inline_available',
];

/** A copy of what was registered, so that later changes to it change nothing. Never throws. */
function readTool(
  tool: unknown,
  world: DialectWorld,
): { readonly name: string; readonly text: string } {
  let name = '';
  try {
    const plain = Object.fromEntries(
      FIELDS.map((field) => [field, isObject(tool) ? tool[field] : undefined]),
    );
    name = typeof plain['name'] === 'string' ? plain['name'] : '';
    return { name, text: `{"tool":${world.serialize(plain)}}` };
  } catch (error) {
    world.log('error', ['registerTool:', error]);
    const why = error instanceof Error ? error.message : String(error);
    return { name, text: `{"problem":${world.serialize(why)}}` };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
