import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'get_settings',
  'save_settings',
  'translate_input',
  'translate_last',
  'translate_message',
]);
