import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'load_timeline',
  'create_weave',
  'invite_reply',
  'create_actor_weave',
  'start_direct_thread',
  'send_direct_message',
  'read_direct_thread',
  'toggle_reaction',
  'update_settings',
  'reset_timeline',
  'toggle_roster_actor',
  'generate_actor_identity',
  'backfill_actor_identities',
  'weave_current_chat',
  'prepare_chat_weave',
  'open_connections',
  'persona',
  'weave',
  'reply',
  'react',
  'character',
  'council',
  'lumia',
]);
