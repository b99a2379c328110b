import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

const member = {
  memberId: 'member-1',
  itemId: 'item-1',
  packId: 'pack-1',
  packName: 'Pack',
  name: 'Reed',
  role: 'analyst',
  chance: 100,
  avatarUrl: null,
  definition: 'A calm voice.',
  personality: 'calm',
  behavior: 'kind',
  genderIdentity: 3,
};

export const scenario: SpindleScenario = usual(
  [
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
  ],
  {
    steps: [
      { macro: 'spotify_now_playing' },
      { macro: 'spotify_album_art' },
      { macro: 'spotify_lyrics' },
      { tool: 'spotify_search', args: { query: 'rain', mode: 'tracks' } },
      { tool: 'spotify_queue', args: { uri: 'spotify:track:1' } },
      {
        tool: 'spotify_mood_discover',
        args: { query: 'rain' },
        councilMember: member,
        contextMessages: [{ role: 'user', content: 'It rains.' }],
      },
      { oauth: { code: 'code-1', state: 'wrong' } },
      { oauth: { error: 'access_denied' } },
    ],
  },
);
