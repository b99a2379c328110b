import type { DialectName } from '../wire/methods.js';
import type { Dialect } from './dialect.js';
import { pandora } from './pandora.js';
import { spindle } from './spindle/dialect.js';
import { vellum } from './vellum/vellum.js';

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  pandora,
  spindle,
  vellum,
};
