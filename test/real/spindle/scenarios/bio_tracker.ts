import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'text',
  'Liquid',
  'Prey',
  'SYNC_BIO_DATA',
  'GET_LATEST_SHEET',
]);
