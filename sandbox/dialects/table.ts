import type { DialectName } from '../wire/methods.js';
import type { Dialect } from './dialect.js';
import { pandora } from './pandora.js';
import { spindle } from './spindle/dialect.js';
import { vellum } from './vellum/vellum.js';

/** All worlds that plugin code can expect, one per plugin system. */
export const dialects: ReadonlyMap<DialectName, Dialect> = new Map(
  Object.entries({ pandora, spindle, vellum }),
);
