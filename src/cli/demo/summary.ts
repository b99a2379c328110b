import type { Permissions } from '../../index.js';
import { visible } from '../visible.js';

/** Permissions in a few words, for a column of a table. */
export function summarize(granted: readonly Permissions[]): string {
  const words = granted.flatMap(
    ({ time, random, storage, network, environment, filesystem, powers }) => [
      ...(network.length === 0 ? [] : [`network ${network.join(' ')}`]),
      ...(filesystem.length === 0 ? [] : [`fs ${filesystem.join(' ')} (read)`]),
      ...(environment.length === 0 ? [] : [`env ${environment.join(' ')}`]),
      ...(time ? ['time'] : []),
      ...(random ? ['random'] : []),
      ...(storage ? ['storage'] : []),
      ...(powers.length === 0 ? [] : [`powers ${powers.join(' ')}`]),
    ],
  );
  return words.length === 0 ? 'none' : visible(words.join(', '));
}
