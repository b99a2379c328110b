import { isRecord } from '../../wire/json.js';
import type { DialectWorld } from '../dialect.js';
import type { HeldPermissions, Mutations } from './permissions.js';
import { SPINDLE_LIMITS } from './limits.js';

/** The registered tools of an extension. They count only while it has the permission for tools. */
export interface Tools {
  readonly registerTool: (tool: unknown) => void;
  readonly unregisterTool: (name: unknown) => void;
  /** Each as `{"tool": …}` or `{"problem": …}`: one broken tool does not hide the others. */
  describe(): string;
}

/** `onChange` is called after each change of the tools. */
export function makeTools(
  world: DialectWorld,
  permissions: HeldPermissions,
  mutations: Mutations,
  onChange: () => void,
): Tools {
  /** Descriptions as JSON text, by name. */
  const registered = new Map<string, string>();

  // Tools registered without the permission become available with it: few extensions register them
  // again when the permission is granted.
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

/** A copy of a registration, which later changes do not affect. Never throws. */
function readTool(
  tool: unknown,
  world: DialectWorld,
): { readonly name: string; readonly text: string } {
  let name = '';
  try {
    const plain = Object.fromEntries(
      FIELDS.map((field) => [field, isRecord(tool) ? tool[field] : undefined]),
    );
    name = typeof plain['name'] === 'string' ? plain['name'] : '';
    return { name, text: `{"tool":${world.serialize(plain)}}` };
  } catch (error) {
    world.log('error', ['registerTool:', error]);
    const why = error instanceof Error ? error.message : String(error);
    return { name, text: `{"problem":${world.serialize(why)}}` };
  }
}
