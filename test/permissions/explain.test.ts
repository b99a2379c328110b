import { describe, expect, test } from 'vitest';
import { NO_PERMISSIONS, explainPermissions } from '../../src/permissions/permissions.js';

describe('the explanation of permissions', () => {
  test('says what a plugin can and cannot do', () => {
    expect(explainPermissions(NO_PERMISSIONS)).toEqual([
      'Clock: none.',
      'Random numbers: none.',
      'Storage: none.',
      'Environment variables: none.',
      'Files: none.',
      'Network: none.',
      'Powers of the host: none.',
    ]);
  });

  test('has a sentence for each scope', () => {
    const sentences = explainPermissions({
      time: true,
      random: false,
      storage: false,
      env: ['API_KEY', 'HOME'],
      fs: [],
      network: ['https://api.example.com'],
      powers: ['conversations', 'generation'],
    });
    expect(sentences).toEqual([
      'Read the time and the date.',
      'Random numbers: none.',
      'Storage: none.',
      'Read the environment variable API_KEY.',
      'Read the environment variable HOME.',
      'Files: none.',
      'Connect to api.example.com, over https.',
      'Use conversations, which the host provides.',
      'Use your models, at your cost, and follow what they generate.',
    ]);
  });
});
