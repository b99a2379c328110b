import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual(
  [
    'lws:diag',
    'lws:list_books',
    'lws:create_book',
    'lws:fetch',
    'lws:create_entry',
    'lws:list_entries',
    'lws:update_entry',
    'lws:list_connections',
    'lws:condense',
    'lws:expand_entry',
    'text',
  ],
  {
    known: {
      4: 'It lists the members of spindle. Ours has those of its newer published types also.',
    },
  },
);
