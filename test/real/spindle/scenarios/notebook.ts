import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'list_notes',
  'add_note',
  'update_note',
  'delete_note',
]);
