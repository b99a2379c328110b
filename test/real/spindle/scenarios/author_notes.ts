import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual(
  ['author_notes_request', 'author_notes_chat_changed'],
  { steps: [{ event: 'CHARACTER_EDITED', payload: { id: 'char-1' } }] },
);
