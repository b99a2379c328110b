import type { DialectName } from '../wire/methods.js';
import type { Dialect } from './dialect.js';
import { mcpServer } from './mcp-server/dialect.js';
import { pandora } from './pandora.js';
import { program } from './program.js';
import { spindle } from './spindle/dialect.js';
import { vellum } from './vellum/vellum.js';

/** All worlds that code can expect: one per plugin system, and that of programs. */
export const dialects: ReadonlyMap<DialectName, Dialect> = new Map(
  Object.entries({
    pandora,
    program,
    // A plugin's code has the world of its system. Its calls run as programs.
    'saved-program': program,
    spindle,
    vellum,
    'mcp-server': mcpServer,
  }),
);
