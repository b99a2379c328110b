import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual(
  [
    'text',
    'image',
    'audio',
    'tool_use',
    'tool_result',
    'ready',
    'refresh_state',
    'refresh_world_state',
    'save_settings',
    'save_world_settings',
    'test_controller',
    'clear_runs',
    'world_agent_start',
    'world_agent_pause',
    'world_agent_advance_hour',
    'world_agent_regenerate_schedule',
    'world_agent_reset',
    'world_agent_set_time',
    'manual_advance',
  ],
  { periodic: ['users.isVisible'] },
);
