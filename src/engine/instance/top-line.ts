import { MAX_ERROR_STACK } from '../../../sandbox/wire/limits.js';

/** The topmost location in a stack, mapped to the plugin's source: `src/index.ts:14:21`. */
export function topLineOf(stack: unknown, mapStack: (stack: string) => string): string | undefined {
  if (typeof stack !== 'string') return undefined;
  const mapped = mapStack(stack.slice(0, MAX_ERROR_STACK));
  // guard: stack-pattern-linear
  return /(?:\(|at |^ {0,8})(?<place>[^\s():]{1,200}:\d{1,7}:\d{1,7})/m.exec(mapped)?.groups?.[
    'place'
  ];
}
