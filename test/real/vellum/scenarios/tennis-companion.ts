import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: {
    time: true,
    random: true,
    storage: true,
    network: ['nominatim.openstreetmap.org', 'overpass-api.de'],
  },
  config: { defaultLocation: 'Oslo' },
  hosts: {
    'nominatim.openstreetmap.org': [
      { body: [{ lat: '59.9', lon: '10.7', display_name: 'Oslo, Norway' }] },
    ],
    'overpass-api.de': [
      {
        body: {
          elements: [
            { type: 'way', id: 1, center: { lat: 59.91, lon: 10.71 }, tags: { name: 'Frogner' } },
            { type: 'node', id: 2, lat: 59.92, lon: 10.7, tags: { sport: 'tennis', lit: 'yes' } },
          ],
        },
      },
    ],
  },
  steps: [
    { tool: 'tennis_progress' },
    { tool: 'tennis_log_match', input: { opponent: 'Ana', result: 'W', score: '6-4 6-3' } },
    {
      tool: 'tennis_log_match',
      input: { opponent: 'Bo', result: 'L', score: '3-6 4-6', surface: 'clay', self_rating: 2 },
    },
    { tool: 'tennis_progress' },
    { tool: 'tennis_progress', input: { opponent: 'ana' } },
    { tool: 'tennis_find_courts' },
    { tool: 'tennis_find_courts', input: { location: 'NY', radius_km: 1 } },
    { tool: 'tennis_drill_session', input: { focus: 'serve', minutes: 45 } },
    { tool: 'tennis_drill_session', input: { focus: 'net play and footwork', log: false } },
  ],
};
