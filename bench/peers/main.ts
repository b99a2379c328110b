// Measures peers on one Node, in a process that has done nothing else, and prints what came of it.
//
//   node --import tsx bench/peers/main.ts '{"names": ["floor", "isolatedVm"], "effort": {…}}'
import type { Effort } from '../measure.js';
import { compareHere, type peers } from './group.js';

const { names, effort } = JSON.parse(process.argv[2] ?? '') as {
  readonly names: readonly (keyof typeof peers)[];
  readonly effort: Effort;
};
const comparisons = await compareHere(names, effort);
process.stdout.write(JSON.stringify(comparisons), () => process.exit());
