import { isRecord } from '../../wire/json.js';
import type { DialectWorld } from '../dialect.js';
import {
  MAX_PAST,
  makeToolBudget,
  OVER_BUDGET,
  PAST_CAP,
  shortDescription,
  type ToolBudget,
  unreadKeys,
} from '../tool-list.js';
import type { HeldPermissions, Mutations } from './permissions.js';
import { SPINDLE_LIMITS } from './limits.js';

/** The registered tools of an extension. They count only while it has the permission for tools. */
export interface Tools {
  readonly registerTool: (tool: unknown) => void;
  readonly unregisterTool: (name: unknown) => void;
  /**
   * Each as `{"tool": …}` or `{"problem": …, "name": …}`: a broken tool, one that is too large and
   * those past the cap do not hide the others. `others`: the rest of the message.
   */
  describe(others: string): string;
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
  /** Names of tools past the cap, and how many further ones there are. */
  const past = new Set<string>();
  let further = 0;

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
        if (past.has(name)) return;
        if (past.size < MAX_PAST) past.add(name);
        else further += 1;
        onChange();
        return;
      }
      if (registered.get(name) === text) return;
      registered.set(name, text);
      onChange();
    },
    unregisterTool: (name) => {
      mutations.allow('spindle.unregisterTool');
      if (typeof name === 'string' && (registered.delete(name) || past.delete(name))) onChange();
    },
    describe: (others) => {
      if (!permissions.has('tools')) return '[]';
      const budget = makeToolBudget(world, others);
      return `[${[
        ...[...registered].map(([name, text]) => fitting(name, text, budget, world)),
        ...[...past].map((name) => problemOf(name, PAST_CAP, world)),
        ...(further === 0 ? [] : [problemOf('', `${further} further tools: ${PAST_CAP}`, world)]),
      ].join(',')}]`;
    },
  };
}

function fitting(name: string, text: string, budget: ToolBudget, world: DialectWorld): string {
  return budget.take(text) ? text : problemOf(name, OVER_BUDGET, world);
}

/** A tool that cannot be offered. Its name is left out if it is empty or too long. */
function problemOf(name: string, problem: string, world: DialectWorld): string {
  const isNamed = name !== '' && name.length <= MAX_NAME;
  return world.serialize({ problem, ...(isNamed ? { name } : {}) });
}

/** Characters of a tool's name, as the host allows. */
const MAX_NAME = 128;

const FIELDS = [
  'name',
  'display_name',
  'description',
  'parameters',
  'council_eligible',
  'inline_available',
];

const READ: ReadonlySet<string> = new Set(FIELDS);

/** A copy of a registration, which later changes do not affect. Never throws. */
function readTool(
  tool: unknown,
  world: DialectWorld,
): { readonly name: string; readonly text: string } {
  let name = '';
  try {
    const plain = Object.fromEntries(
      FIELDS.map((field) => {
        const value = isRecord(tool) ? tool[field] : undefined;
        return [field, field === 'description' ? shortDescription(value) : value];
      }),
    );
    name = typeof plain['name'] === 'string' ? plain['name'] : '';
    return {
      name,
      text: `{"tool":${world.serialize({ ...plain, unread: unreadKeys(tool, READ) })}}`,
    };
  } catch (error) {
    world.log('error', ['registerTool:', error]);
    const why = error instanceof Error ? error.message : String(error);
    return { name, text: problemOf(name, why, world) };
  }
}
