import type { FoundPlugin } from './format.js';

/**
 * Sorts Vellum's plugins among themselves by when they were installed (Vellum tools, "Resolution
 * order"): those of which nobody knows it come last, and ties are in the order of names. The others
 * stay where they are.
 */
export function inInstallOrder(found: readonly FoundPlugin[]): readonly FoundPlugin[] {
  const dated = found.filter(isDated).toSorted(compare);
  return found.map((one) => (isDated(one) ? (dated.shift() ?? one) : one));
}

function isDated({ plugin }: FoundPlugin): boolean {
  return plugin.format === 'vellum';
}

function compare({ plugin: a }: FoundPlugin, { plugin: b }: FoundPlugin): number {
  const [first = Infinity, second = Infinity] = [a.installedAtMs, b.installedAtMs];
  if (first !== second) return first - second;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
