// Measures peers on another Node than the rest, for `npm run bench`: prints what came of it as JSON.
//
//   node --import tsx bench/peers/elsewhere.ts '{"names": ["floor", "isolatedVm"], "effort": {…}}'
import type { Effort } from '../measure.js';
import { compareHere, type peers } from './group.js';

const { names, effort } = JSON.parse(process.argv[2] ?? '') as {
  readonly names: readonly (keyof typeof peers)[];
  readonly effort: Effort;
};
const comparisons = await compareHere(names, effort);
process.stdout.write(JSON.stringify(comparisons), () => process.exit());
