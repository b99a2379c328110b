import type { Guard } from './guard.js';

/** What keeps a hook to its own changes, its time, and its plugin. */
export const hookGuards: readonly Guard[] = [
  {
    stops: 'a hook that changes what is not its to change',
    file: 'src/hooks/changes.ts',
    code: 'if (field?.mutable !== true) {',
    without: 'if (field === undefined) {',
    tests: ['test/hooks'],
  },
  {
    stops: 'a message of a hook that is none',
    file: 'src/hooks/changes.ts',
    code: 'const problem = field.kind.itemProblem?.(item);',
    without: 'const problem = field.kind.itemProblem?.(item) && undefined;',
    tests: ['test/hooks'],
  },
  {
    stops: 'a hook that makes a context larger than any may be',
    file: 'src/hooks/changes.ts',
    code: 'const problem = edits.length === 0 ? undefined : sizeProblem(texts, limits);',
    without: 'const problem = undefined;',
    tests: ['test/hooks'],
  },
  {
    stops: 'a hook that never ends from ending',
    file: 'src/engine/hooks/hook-step.ts',
    code: 'timer = setTimeout(() => stop(tooLate(plugin, hook, deadlineMs)), deadlineMs);',
    without: 'timer = setTimeout(() => {}, deadlineMs);',
    tests: ['test/escape/hooks.test.ts'],
  },
  {
    stops: 'a hook that was given up and runs on',
    file: 'src/engine/hooks/hook-step.ts',
    code: 'room.resident.doubt(guest, settled, `its hook ${hook} did not stop`);',
    without: '',
    tests: ['test/escape/hooks.test.ts'],
  },
  {
    stops: 'a broadcast in the name of a hook that does not run',
    file: 'src/engine/hooks/running-hooks.ts',
    code: 'if (from?.broadcasts !== true || !isParsed(detail)) return;',
    without: 'if (from === undefined || !isParsed(detail)) return;',
    tests: ['test/engine/hooks/running-hooks.test.ts'],
  },
  {
    stops: 'a plugin that runs on once it is switched off',
    file: 'src/engine/plugins/registry.ts',
    code: 'await ((successor?.activation.config ?? null) === null ? endInactive(one) : retire(one));',
    without: 'await retire(one);',
    tests: ['test/engine/plugins/reload.test.ts'],
  },
  {
    stops: 'a plugin that finishes its calls when its engine is closed',
    file: 'src/engine/plugins/registry.ts',
    code: '[...ending, ...retiring].map(end)',
    without: 'ending.map(end)',
    tests: ['test/engine/plugins/reload.test.ts'],
  },
  {
    stops: 'a guest that was replaced, and outlives its engine',
    file: 'src/engine/entry/resident.ts',
    code: 'for (const guest of guests) guest.kill(end);',
    without: 'current?.kill(end);',
    tests: ['test/engine/plugins/reload.test.ts'],
  },
];
