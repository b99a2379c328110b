import type { ToolAnnotations } from '../catalog/catalog.js';
import type { StoppedEffect } from '../engine/types/result.js';
import { plural } from './words.js';

/**
 * What a tool asked for in a dry run, in one sentence: changes, and reads that were refused, which are no changes.
 * Says so if its author promised something else.
 */
export function dryRunTitle(
  stopped: readonly StoppedEffect[],
  { readOnlyHint, destructiveHint }: ToolAnnotations = {},
): string {
  const refused = stopped.filter(isRefusedRead).length;
  const changes = stopped.length - refused;
  const asked = `This time the tool asked for ${changes === 0 ? 'no change' : plural(changes, 'change')}`;
  const reads =
    refused === 0
      ? ''
      : `, and for ${plural(refused, 'read')} from a host that no rule clears for dry runs`;
  const hint =
    readOnlyHint === true && changes > 0
      ? ' Its author says that it only reads.'
      : readOnlyHint !== true && destructiveHint === true && changes === 0
        ? ' Its author says that it may delete or overwrite data.'
        : '';
  return `${asked}${reads}.${hint}`;
}

function isRefusedRead(effect: StoppedEffect): boolean {
  return effect.permission === 'network' && effect.reads === true;
}
