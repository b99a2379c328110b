import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'bootstrap',
  'profile:save',
  'profile:syncTab',
  'profile:reset',
  'engine:save',
  'engine:delete',
  'story:generate',
  'banlist:analyze',
  'npc:scan',
  'npc:portrait',
  'npc:uploadPortrait',
  'image:connections',
  'image:prompt',
  'image:manual',
  'style:generate',
  'style:insights',
  'prompt:dryRun',
  'preset:resolve',
  'preset:status',
  'preset:audit',
  'image',
  'meter',
]);
