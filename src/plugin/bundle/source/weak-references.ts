import { parseSource } from '../rewrite/parse.js';
import { resolveBindings } from '../rewrite/scopes.js';
import { isChanged } from './global-process.js';

/** The injected names of the classes. They are as long as the names, so that places stay the same. */
const INJECTED: ReadonlyMap<string, string> = new Map([
  ['FinalizationRegistry', 'Finalization$egistry'],
  ['WeakRef', 'Weak$ef'],
]);

export const WEAK_REFERENCES: readonly string[] = [...INJECTED.values()];

/**
 * Replaces `WeakRef` and `FinalizationRegistry` in the code of a package by classes that free nothing. Guests do not
 * have the language's own, and packages such as `jsdom` fail without them.
 */
export function injectWeakReferences(code: string): string {
  if (!/\b(?:FinalizationRegistry|WeakRef)\b/.test(code)) return code;
  let replaced = code;
  for (const { node, parent } of freeNamesOf(code).toReversed()) {
    const name = INJECTED.get(node.name);
    if (name === undefined || isChanged(node, parent)) continue;
    const isShorthand = parent?.type === 'Property' && parent.shorthand;
    const text = isShorthand ? `${node.name}: ${name}` : name;
    replaced = replaced.slice(0, node.start) + text + replaced.slice(node.end);
  }
  return replaced;
}

function freeNamesOf(code: string): ReturnType<typeof resolveBindings>['free'] {
  try {
    return resolveBindings(parseSource(code, { tokens: false }).walk).free;
  } catch {
    // JSX, or syntax newer than acorn. esbuild reports what is invalid.
    return [];
  }
}
