import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: {
    time: true,
    random: true,
    storage: true,
    env: ['OPENAI_API_KEY', 'VELLUM_STT_ENDPOINT', 'ELEVENLABS_API_KEY', 'OPENAI_STT_MODEL'],
    network: ['api.telegram.org', 'api.openai.com', 'stt.example.test'],
    powers: ['credentials'],
  },
  env: { OPENAI_API_KEY: 'sk-test', VELLUM_STT_ENDPOINT: 'https://stt.example.test/v1/transcribe' },
  credentials: {
    'telegram/bot_token': 'T0KEN',
    'telegram-voice-transcribe/telegram:bot_token': 'T0KEN',
  },
  hosts: {
    'stt.example.test': [{ status: 503, body: 'down' }],
    'api.telegram.org': [
      { path: '/botT0KEN/getFile?file_id=gone', body: { ok: false, description: 'file is gone' } },
      { path: '/botT0KEN/getFile?file_id=denied', status: 401, body: { ok: false } },
      { path: '/botT0KEN/getFile', body: { ok: true, result: { file_path: 'voice/file_1.oga' } } },
      { path: '/file/', body: 'OggS-audio', type: 'audio/ogg' },
    ],
    'api.openai.com': [{ body: { text: ' Water the plants. ' } }],
  },
  steps: [
    { loaded: true },
    {
      hook: 'user-prompt-submit',
      context: {
        conversationId: 'c1',
        originalMessages: [],
        latestMessages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'hear this' },
              { type: 'file', mime_type: 'audio/ogg', file_id: 'f1', duration: 61 },
            ],
          },
        ],
      },
    },
    {
      hook: 'user-prompt-submit',
      context: {
        conversationId: 'c1',
        originalMessages: [],
        latestMessages: [
          { role: 'user', content: [{ type: 'file', voice: { file_id: 'gone', duration: 5 } }] },
        ],
      },
    },
    {
      hook: 'user-prompt-submit',
      context: {
        conversationId: 'c1',
        originalMessages: [],
        latestMessages: [
          { role: 'user', content: [{ type: 'file', voice: { file_id: 'denied', duration: 5 } }] },
        ],
      },
    },
    {
      hook: 'user-prompt-submit',
      context: {
        conversationId: 'c1',
        originalMessages: [],
        latestMessages: [{ role: 'user', content: [{ type: 'text', text: 'no voice' }] }],
      },
    },
  ],
};
