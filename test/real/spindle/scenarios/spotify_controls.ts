import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'get_state',
  'get_config',
  'connect',
  'disconnect',
  'play',
  'pause',
  'next',
  'previous',
  'seek',
  'set_volume',
  'toggle_shuffle',
  'set_repeat',
  'search',
  'queue',
  'get_devices',
  'transfer_playback',
  'save_lastfm_key',
  'get_widget_prefs',
  'save_widget_prefs',
  'get_lyrics',
]);
