import type { LoadedPackage } from './wire/methods.js';
import type { PlacedUnit } from './wire/units.js';

/** Packages with the same text share a compartment. */
export function groupOf({ time, random }: LoadedPackage): string {
  return `${time === true} ${random === true}`;
}

/** One text with the units, each in its lines of the bundle, as a record by index. */
export function joinUnits(
  units: readonly PlacedUnit[],
  indexOf: (unit: PlacedUnit) => number,
): string {
  let text = '({ __proto__: null,';
  let line = 1;
  for (const unit of units) {
    text += `${'\n'.repeat(unit.lines - line)}${indexOf(unit)}:\n${unit.code},`;
    line = unit.lines + unit.height;
  }
  return `${text}})`;
}
