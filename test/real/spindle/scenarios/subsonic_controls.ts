import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual(
  [
    'get_config',
    'get_state',
    'connect',
    'set_playback_position_offset',
    'disconnect',
    'feishin_state',
    'play',
    'pause',
    'next',
    'previous',
    'queue',
    'search',
    'get_chat_songs',
    'get_lyrics',
    'album_colors',
  ],
  {
    steps: [
      { macro: 'subsonic_now_playing' },
      { macro: 'subsonic_track_name' },
      { macro: 'subsonic_is_playing' },
      { macro: 'subsonic_lyrics', args: ['plain'] },
      { macro: 'subsonic_has_lyrics' },
    ],
  },
);
