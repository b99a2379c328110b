import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'ready',
  'refresh',
  'character-editor',
  'open-connections',
  'save-settings',
  'patch-settings',
  'save-profile',
  'save-chat-layout',
  'apply-manual',
  'clear-manual',
  'analyze-now',
  'edit-expression-names',
  'import-assets',
  'restore-archive',
  'discard-uploads',
  'delete-variants',
  'request-export',
  'request-diagnostics',
]);
