import type { Paint } from '../paint.js';
import { formatTable } from '../table.js';
import { visible } from '../visible.js';
import type { Trial } from './trials.js';

export interface Category {
  readonly category: string;
  readonly tried: number;
  readonly held: number;
}

/** What was tried by category, in the order in which the categories came up. */
export function byCategory(trials: readonly Trial[]): readonly Category[] {
  return [...new Set(trials.map(({ category }) => category))].map((category) => {
    const own = trials.filter((trial) => trial.category === category);
    return { category, tried: own.length, held: own.filter(({ held }) => held).length };
  });
}

export function tellCategories(trials: readonly Trial[], paint: Paint): string {
  const rows = byCategory(trials).map(({ category, tried, held }) => [
    `  ${visible(category)}`,
    `${held}/${tried}`,
    held === tried ? 'held' : 'NOT HELD',
  ]);
  const [heading = '', ...lines] = formatTable([['  CATEGORY', 'HELD', ''], ...rows]).split('\n');
  return [paint('dim', heading), ...lines].join('\n');
}

export function tellTrial({ plugin, name, held, evidence }: Trial, paint: Paint): string {
  const word = held ? paint('green', 'held    ') : paint('red', 'NOT HELD');
  return `  ${word}  ${visible(plugin)}: ${visible(name)}\n            ${paint('dim', visible(evidence))}\n`;
}
