import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

/** It sends these requests itself, and Lumiverse's runtime has no servers for them here. */
const own = 'the oracle reaches no host';

export const scenario: SpindleScenario = usual(
  [
    'get_cards',
    'description',
    'comment',
    'module',
    'toggle',
    'screen_dims',
    'display_authority',
    'display_writeback',
    'manual_trigger',
    'manual_button_click',
    'cache_module_translation',
    'cache_character_translation',
    'realm_search',
    'realm_info',
    'realm_download',
    'import_card_init',
    'import_card_chunk',
    'import_card_commit',
    'import_card_abort',
    'upload_module_chunk',
    'upload_module_commit',
    'upload_module_abort',
    'delete_card',
    'consent_response',
  ],
  {
    known: { 16: own, 17: own, 18: own },
    grant: { network: ['sv.risuai.xyz', 'realm.risuai.net'] },
    hosts: {
      'sv.risuai.xyz': [
        { path: '/hub/info', body: { id: 'item-1', name: 'Lantern', desc: 'A lantern.' } },
        { body: [{ id: 'item-1', name: 'Lantern' }] },
      ],
      'realm.risuai.net': [{ status: 404, body: 'none' }],
    },
    steps: [
      { macro: 'random', args: ['a', 'a'] },
      { macro: '(' },
      { macro: 'arraylength', args: ['[1,2]'] },
      { macro: 'br' },
    ],
  },
);
