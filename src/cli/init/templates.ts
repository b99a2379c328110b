import type { Template } from './project.js';
import { mcp } from './templates/mcp-server.js';
import { pandora } from './templates/pandora.js';
import { spindle } from './templates/spindle.js';
import { vellum } from './templates/vellum.js';

/** By the word of `--format`. */
export const templates: Readonly<Record<string, Template>> = { pandora, vellum, spindle, mcp };
