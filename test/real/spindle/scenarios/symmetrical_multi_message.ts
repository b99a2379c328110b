import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual(['flush_queue', 'unknown']);
