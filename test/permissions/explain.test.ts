import { expect, test } from 'vitest';
import { explainPermissions } from '../../src/permissions/explain.js';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';

test('what a plugin cannot do is said as plainly as what it can', () => {
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

test('each scope has a sentence of its own', () => {
  const sentences = explainPermissions({
    time: true,
    random: false,
    storage: false,
    environment: ['API_KEY', 'HOME'],
    filesystem: [],
    network: ['https://api.example.com'],
    powers: ['conversations', 'generation'],
  });
  expect(sentences).toEqual([
    'Tell the time and the date.',
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
