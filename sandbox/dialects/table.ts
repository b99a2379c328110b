import type { DialectName } from '../wire/methods.js';
import type { Dialect } from './dialect.js';
import { pandora } from './pandora.js';

export const dialects: Readonly<Record<DialectName, Dialect>> = { pandora };
